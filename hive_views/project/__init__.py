"""Views as code: a directory of SQL files, planned against a metastore, applied, and undone as a release.

    from hive_views import project

    plan = project.plan(catalog, "views/")
    print(plan.summary())
    report = project.apply(catalog, plan)
    project.apply(catalog, project.plan_undo(catalog, "views/", report.release))

To read, in this order:

    directory/   what the files say: project.toml, one file for each view, a revision of git
    plans/       what a plan says, as values, as a file, and for people
    planning/    what would be done, and what that does to others
    applying/    the steps as commits; releases, and their undo
    exporting/   views of a metastore as files
    dependency_graph.py  what reads what
    validating/  queries analyzed by the engines themselves
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
