"""From files and a metastore to a plan: what would be done, and what that does to others. Nothing is written."""
