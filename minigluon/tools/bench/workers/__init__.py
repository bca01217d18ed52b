"""What runs in the processes of the measured libraries.

    worker.py                   answers questions: how long does a program take?
    probes.py, resident.py      memory and numbers of kernels
    names.py                    names of programs
    programs_LIBRARY.py         the programs; convolutional_ and transformers_LIBRARY.py have further nets

`worker.py` is started by its path, under interpreters that have no minigluon. So these modules import the standard
library, their own library, and each other, as parts of a package `workers`.
"""
