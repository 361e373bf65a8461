"""Many views at once: the verbs of an administrator on one view, a pattern of names, a namespace, or all.

    from hive_views import estate

    print(estate.adopt(catalog, "sales.*", dry_run=True).summary())
    report = estate.check(catalog)

- plain views become versioned, and plain again: adopt, hand_back
- what there is: describe_views; report (one HTML page)
- what is wrong, and mending what loses nothing: check, fix
- archives: backup, restore, read_archive
- into another catalog, or under another database: copy_views, move_views
- dropped views: list_dropped, undrop
- files that nobody needs: clean

They go on after a view that fails, and return what came of each one (Outcomes); run a verb again to finish what it
could not do. ``each`` selects and reports for all of them, and each verb has a module of its own.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
