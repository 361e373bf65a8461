"""Views of a metastore as the files of a project.

export.py              the verb: what is written, what stays, what is refused
view_text.py           the statement of a view, read back before it is written
publications_text.py   what is recorded of publications, as publications.toml
"""
