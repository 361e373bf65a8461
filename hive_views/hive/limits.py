"""How much text the metastore's databases hold, counted as the strictest of them counts.

The smallest size among the official schemas of Hive 2.3, 3.1 and 4 (schematool) and the schema that a metastore creates
by itself; one database silently cuts off a longer text, another refuses it with an SQL error.
"""

from __future__ import annotations

MAX_COLUMN_NAME = 767
MAX_KEY_NAME = 128
# MySQL and MariaDB up to 3.1, every database of 4.2, and a schema that a 2.3 metastore created itself.
MAX_COLUMN_COMMENT = 256
# The official schemas hold 256; one that the metastore created itself, as the embedded one does, holds 255.
MAX_PARTITION_VALUE = 255
MAX_PARTITION_NAME = 767
# Metastores before Hive 4 cut longer parameters silently (MariaDB) or fail (PostgreSQL).
MAX_PARTITION_PARAMETER = 4000
# Dropping 2,000 in one call has failed, and adding takes 10 ms each, which clients do not wait for.
PARTITIONS_IN_A_CALL = 500


def stored_length(text: str) -> int:
    """The characters of ``text`` as Java and Derby count them: one outside the basic plane (an emoji) is two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
