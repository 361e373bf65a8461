"""The analyses of many views at once, from which `uses`, `impact` and `check` answer.

analyzing.py   the analyses of the views that match patterns, those that are not kept made anew
kept.py        the file in the user's cache that keeps them
"""
