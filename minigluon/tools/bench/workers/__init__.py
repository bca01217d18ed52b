"""The code that runs in the processes of the measured libraries.

    worker.py                   answers requests, such as the time of a program
    probes.py, resident.py      memory and number of kernels
    names.py                    names of programs
    programs_LIBRARY.py         the programs; convolutional_ and transformers_LIBRARY.py have more nets

`worker.py` is started by its path, with interpreters that do not have minigluon. Therefore these modules only import
the standard library, their own library, and each other, as parts of a package `workers`.
"""
