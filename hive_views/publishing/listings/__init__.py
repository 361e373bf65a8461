"""What base tables hold, read once a run."""
