"""From files and a metastore to a plan: what would be done, and what that does to others. Nothing is written.

To read, in this order:

    planning.py           the run: read, compare, order, make each step on a copy
      comparing.py          whether a view is as its file says, and whether somebody else has changed it
      following.py          views whose columns follow from others that were changed
      ordering.py           which views read which
      copied_catalog.py     the copy in which the steps are made
      made_step.py          a step with what it changes
    effects.py            what the steps do to others, and why the plan is refused
      contracts.py          the columns that a view must go on to have
    undoing.py            the plan that takes every view back to where it was before a release
"""
