"""Many views at once: the verbs of an administrator on one view, a pattern of names, a namespace, or all views.

    from hive_views import estate

    print(estate.adopt(catalog, "sales.*", dry_run=True).summary())
    report = estate.check(catalog)

- adopt plain views, and make them plain again: adopt, hand_back
- list and describe views: describe_views; report (one HTML page)
- find problems, and repair what loses nothing: check, fix; for CI: read_baseline, as_sarif, as_junit
- which views use a table or a column, and what a change would break: uses, impact
- archives: backup, restore, read_archive
- copy or move to another catalog or database: copy_views, move_views
- dropped views: list_dropped, undrop
- delete files that nobody needs: clean

The verbs continue after a view that fails, and return an outcome for each view (Outcomes); run a verb again to finish
what it could not do. ``each`` selects and reports for all of them; __init__.pyi says which module has which verb.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
