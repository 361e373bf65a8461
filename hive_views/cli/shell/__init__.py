"""What commands share: arguments, opening a catalog, output, progress, errors and exit codes."""
