"""Hive and Spark: most texts mean the same in both, so the author's text is kept, with edits where it does not.

patching.py        the entry: walks the tree, and decides for each node
patching_rules.py  what rules are given, and the tables in which they stand
text_places.py     where calls, casts and their arguments stand in the text
common_reasons.py  why a text is refused, or answers something else
named_outputs.py   the names and types of the output columns
only_in_one.py     what only one of the two can read, names that are keywords, brackets that one of them needs
kinds_of_nodes/    operators, casts, literals, branches and clauses, by their kinds
known_functions/   functions, by their names as written

What has no rule is refused.
"""

from hive_views.translation.in_place.patching import edit_in_place as edit_in_place
