"""Functions of strings and bytes.

whole_strings.py      joining, letter case, length, blanks, padding, replacing
parts_of_strings.py   those that cut and find
bytes_of_strings.py   bytes, digests, formats
patterns_and_json.py  regular expressions, JSON
java_patterns.py      the syntax of regular expressions that is known to be Trino's, too
urls.py               parts of URLs
string_arguments.py   what these are given, and reasons that they share
literal_values.py     the values of literals
"""

from hive_views.translation.to_trino.expressions.strings import (
    bytes_of_strings,
    parts_of_strings,
    patterns_and_json,
    whole_strings,
)
from hive_views.translation.to_trino.terms import CallRules, NodeRules

_MODULES = (whole_strings, parts_of_strings, bytes_of_strings, patterns_and_json)
NODES: NodeRules = {kind: rule for module in _MODULES for kind, rule in module.NODES.items()}
CALLS: CallRules = {name: rule for module in _MODULES for name, rule in module.CALLS.items()}
