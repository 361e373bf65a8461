"""Where files are: any fsspec storage, metadata files on it, and which directories are a view's."""
