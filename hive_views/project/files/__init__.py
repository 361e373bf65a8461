"""The files of a project: what they say, errors with their places, and how views are written to them."""
