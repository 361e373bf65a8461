"""Many views at once: the administrator's verbs on one view, a pattern of names, a namespace, or all.

What lives here: verbs that select views, go on after a view that fails, and report each. What must not: how one view is
read or changed (views/), when a partition is ready (readiness/, publishing/), what a command prints (cli/).

Every verb reads the same way: ``selection`` finds the rows, the verb's own module does one view after the other,
``outcomes`` collects what came of each. A verb can be run again to finish what it could not do.
"""
