"""Functions by their names as written.

same_answers.py   those that both engines answer alike, by the types of their arguments
other_answers.py  those that they answer differently, for all values or for some
edited_calls.py   those that need another name, or another expression around them
by_argument.py    those of which the values of arguments decide
signatures.py     how the types of arguments are written in these tables
rule_of_call.py   finds the rule for a call
mapped_functions.py  functions of users, which the setting udfs maps
"""

from hive_views.translation.in_place.known_functions.mapped_functions import call_other as call_other
from hive_views.translation.in_place.known_functions.rule_of_call import apply as apply
