"""What runs in the processes of the measured libraries.

`worker.py` is started by its path, under interpreters that have no minigluon. So these modules import the standard
library, their own library, and each other as neighbours in a folder.
"""
