"""What a view is, and how it changes."""
