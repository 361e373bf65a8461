"""A view's SQL in another dialect, or why there is none: never a text that answers something else without saying so.

translating.py          the entry: a text, its dialect, the dialect that is wanted, and the columns of its tables
translation_result.py   what comes of it: the text, and what was found on the way
translation_record.py   what is kept with a text of a view that was translated
proof.py                what an engine has confirmed of a translated text
translation_findings.py what a finding is, and the reasons for them
session_settings.py     settings with which Spark wrote a text that may change what it means
user_functions.py       functions of users (UDFs), as the setting udfs maps them; mapped_names.py: calls of them
checked_text.py         what is asked of every text that was made
in_place/               Hive and Spark: the author's text, with edits
to_trino/               Trino: written from the tree with types
from_trino/             Hive and Spark, of a text of Trino: likewise
engine_functions/       which functions each engine has
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
