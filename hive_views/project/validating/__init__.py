"""Queries of a project, analyzed by the engines themselves; nothing is executed.

validate_project.py  each text of a project, in an order in which views come after those that they read
not_yet_applied.py   views that the metastore has not, or has otherwise, as subqueries in the texts that read them
validation.py        what was found, as values
"""
