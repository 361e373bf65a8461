"""Queries of a project, analyzed by the engines themselves."""
