"""Versioned, partition-aware SQL views in a Hive Metastore.

What lives here: the public names, listed in ``__init__.pyi`` and imported when they are first used, so that
``import hive_views`` costs nothing; and the handler that keeps the library silent until somebody listens to the
loggers under ``hive_views``. What must not: any other code.
"""

import logging

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

logging.getLogger(__name__).addHandler(logging.NullHandler())
