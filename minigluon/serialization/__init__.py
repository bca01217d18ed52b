"""Files of MXNet's formats, read as data from strangers: parameters and IDX; and how a file is replaced as a whole."""
