"""What every verb on many views does.

Selects the rows, puts them in order, goes on after a failure, and reports each view.
"""
