"""The version of what an analysis says."""

ANALYSIS_VERSION = 3
"""Rises with every change of what the analysis says of the same text and columns, so that no kept one is used then."""
