"""From files and a metastore to a plan: what would be done, and what that does to others. Nothing is written.

make_plan.py      what there is is read, compared with the files (comparing.py, following.py, translating_again.py), and
                  put in order
made_step.py      a step made on a copy of the metastore (copied_catalog.py), by the code that applies it
effects.py        views that would break, declared partitions, contracts; what refuses the plan
undoing.py        the plan that undoes a release
"""
