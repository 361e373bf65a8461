"""Plans carried out, one commit for each step, and what is known of releases afterwards.

apply_plan.py     the lock of the project, the steps in order, the report
step_commit.py    a step as a commit, also on the copy in which a plan is made
release_mark.py   what a version says of the release that made it
marked_views.py   the views with such versions
releases.py       the releases that they tell of
"""
