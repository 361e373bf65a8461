"""What is around a command.

Its arguments, the way to a catalog, what is printed, progress, errors and exit codes.
"""
