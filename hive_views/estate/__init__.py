"""Many views at once: the administrator's verbs on one view, a pattern of names, a namespace, or all.

Every verb reads the same way: ``each`` finds the rows and collects what came of each view, the verb's own module does
one view after the other. A verb can be run again to finish what it could not do.
"""
