"""Views of a metastore as the files of a project."""
