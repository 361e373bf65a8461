"""What a plan says, as values, as a file, and for people."""
