"""For programs and libraries that were written for MXNet: its name, a check of what they will miss, an installation."""
