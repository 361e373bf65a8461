"""The files of a project: what they say, and errors with their places.

To read, in this order:

    project_files.py      read_project: all files of a directory or revision, and all that is wrong in them
      source_files.py     which files of a directory belong to it; their texts
      git_revision.py     the same of a revision of git, without a checkout
    project_settings.py   project.toml
    variables.py          ${name}, and places in the text as its author sees it
    definitions.py        from the text of a file to a view
      view_definition.py  what it says of the view
    file_error.py         what is wrong, with its place
"""
