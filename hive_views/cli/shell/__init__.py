"""What commands share.

Arguments, opening a catalog, output, progress, errors and exit codes.
"""
