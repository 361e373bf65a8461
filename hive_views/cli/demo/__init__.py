"""The demonstration: the whole library on real data and a real metastore, told step by step.

What lives here: the story (steps.py), the calls it shows and makes (calls.py), its data, its looks, and its beginning
and end (run.py). What must not: anything that the rest of the library needs.
"""

from hive_views.cli.demo.run import run_demo

__all__ = ["run_demo"]
