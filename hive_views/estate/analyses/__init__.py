"""The analyses of many views at once, from which `uses`, `impact` and `check` answer.

analyses_of_views.py   those of the views that match patterns; what is not kept is made anew
kept.py                the file in the user's cache that keeps them
"""
