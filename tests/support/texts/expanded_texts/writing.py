"""Cases about how a query is written: comments, literals, keywords, and what only Spark reads."""

from __future__ import annotations

from tests.support.texts.expanded_texts.case import HIVE_ONLY, SPARK_ONLY, Case

WRITING = [
    Case(
        "a semicolon and comments behind the query go",
        "SELECT page FROM clicks -- all of them\n; -- done\n;",
        "page",
        "SELECT page AS `page` FROM `web`.`clicks`",
    ),
    Case(
        "comments before and inside the query stay",
        "-- daily\n/* FROM x, y */ SELECT page -- the page, FROM z\n, /* it's */ user_id FROM clicks\nWHERE true",
        "page user_id",
        "-- daily\n/* FROM x, y */ SELECT page AS `page` -- the page, FROM z\n, /* it's */ user_id AS `user_id` "
        "FROM `web`.`clicks`\nWHERE true",
    ),
    Case(
        "hints stay",
        "SELECT /*+ MAPJOIN(users), STREAMTABLE(clicks) */ DISTINCT clicks.page FROM clicks "
        "JOIN users ON clicks.user_id = users.user_id",
        "page",
        "SELECT /*+ MAPJOIN(users), STREAMTABLE(clicks) */ DISTINCT clicks.page AS `page` FROM `web`.`clicks` "
        "JOIN `web`.`users` ON clicks.user_id = users.user_id",
        judges=HIVE_ONLY,
    ),
    Case(
        "a hint that names a table with its namespace stays",
        "SELECT /*+ BROADCAST(web.users) */ page FROM clicks, web.users",
        "page",
        "SELECT /*+ BROADCAST(web.users) */ page AS `page` FROM `web`.`clicks`, `web`.`users`",
        dialect="spark",
    ),
    Case(
        "string literals stay, whatever is in them",
        """SELECT 'it\\'s FROM x', "say ""hi"" -- no", ';', '`a`', '/* a */' FROM users""",
        "a b c d e",
        """SELECT 'it\\'s FROM x' AS `a`, "say ""hi"" -- no" AS `b`, ';' AS `c`, '`a`' AS `d`, '/* a */' AS `e` """
        "FROM `web`.`users`",
    ),
    Case(
        "characters outside ASCII in string literals become escapes, surrogate pairs among them",
        "SELECT 'Zoë', \"日本\", '😀 \\\\é \\é \\u00e9' FROM users WHERE name = 'Zoë'",
        "a b c",
        "SELECT 'Zo\\u00eb' AS `a`, \"\\u65e5\\u672c\" AS `b`, '\\ud83d\\ude00 \\\\\\u00e9 \\u00e9 \\u00e9' AS `c` "
        "FROM `web`.`users` WHERE name = 'Zo\\u00eb'",
    ),
    Case(
        "offsets count characters, not bytes or UTF-16 units",
        "SELECT '😀', page /* 😀 */ AS `größe`, user_id FROM /* 😀é */ clicks WHERE page <> '😀'",
        "a größe user_id",
        "SELECT '\\ud83d\\ude00' AS `a`, page /* 😀 */ AS `größe`, user_id AS `user_id` "
        "FROM /* 😀é */ `web`.`clicks` WHERE page <> '\\ud83d\\ude00'",
    ),
    Case(
        "commas and keywords inside brackets and CASE are no ends of a column",
        "SELECT CASE WHEN amount > 3 THEN coalesce(page, 'x') ELSE (SELECT max(name) FROM users) END, "
        "cast(amount AS decimal(10, 2)), if(amount IN (1, 3), 'FROM', 'WHERE') FROM clicks",
        "a b c",
        "SELECT CASE WHEN amount > 3 THEN coalesce(page, 'x') ELSE (SELECT max(name) FROM `web`.`users`) END AS `a`, "
        "cast(amount AS decimal(10, 2)) AS `b`, if(amount IN (1, 3), 'FROM', 'WHERE') AS `c` FROM `web`.`clicks`",
    ),
    Case(
        "the FROM of IS DISTINCT FROM is no end of the select list",
        "SELECT page IS DISTINCT FROM 'x', page IS NOT DISTINCT FROM 'y' AS same FROM clicks",
        "other same",
        "SELECT page IS DISTINCT FROM 'x' AS `other`, page IS NOT DISTINCT FROM 'y' AS same FROM `web`.`clicks`",
        dialect="spark",
        judges=SPARK_ONLY,
    ),
    Case(
        "the EXCEPT of a star is no set operation",
        "SELECT * EXCEPT (name) FROM users",
        "user_id",
        "SELECT `user_id` AS `user_id` FROM (SELECT * EXCEPT (name) FROM `web`.`users`) `daily`",
        dialect="spark",
        judges=SPARK_ONLY,
    ),
    Case(
        "keywords can be names",
        "SELECT c.limit, limit, 1 AS end, c.end, 2 AS limit FROM (SELECT 3 AS limit, 4 AS end) c",
        "a b end d limit",
        "SELECT c.limit AS `a`, limit AS `b`, 1 AS end, c.end AS `d`, 2 AS limit FROM (SELECT 3 AS limit, 4 AS end) c",
        dialect="spark",
        judges=SPARK_ONLY,
    ),
    Case(
        "a name can start with a digit",
        "WITH 2a AS (SELECT 1 AS 1x) SELECT 2a.1x FROM 2a",
        "x",
        "WITH 2a AS (SELECT 1 AS 1x) SELECT 2a.1x AS `x` FROM 2a",
    ),
    Case(
        "a back-quote in a name of the schema is doubled",
        "SELECT 1",
        "a`b",
        "SELECT 1 AS `a``b`",
    ),
    Case(
        "line ends and tabs stay, blanks around the query go",
        "\r\n\tSELECT\tpage\r\nFROM\tclicks  \n",
        "page",
        "SELECT\tpage AS `page`\r\nFROM\t`web`.`clicks`",
    ),
    Case(
        "spark: the session catalog's name goes",
        "SELECT c.page, u.name FROM spark_catalog.web.clicks c JOIN `Spark_Catalog` . `web`.users u ON true",
        "page name",
        "SELECT c.page AS `page`, u.name AS `name` FROM `web`.`clicks` c JOIN `web`.`users` u ON true",
        dialect="spark",
    ),
    Case(
        "spark: a query can start with FROM",
        "FROM clicks SELECT user_id, max(page) GROUP BY user_id",
        "user_id page",
        "FROM `web`.`clicks` SELECT user_id AS `user_id`, max(page) AS `page` GROUP BY user_id",
        dialect="spark",
    ),
    Case(
        "spark: table functions, VALUES and lambda functions are no tables",
        "SELECT r.id, v.x, transform(tags, t -> upper(t)) FROM range(2) r, VALUES (1), (2) AS v(x), clicks",
        "id x tags",
        "SELECT r.id AS `id`, v.x AS `x`, transform(tags, t -> upper(t)) AS `tags` "
        "FROM range(2) r, VALUES (1), (2) AS v(x), `web`.`clicks`",
        dialect="spark",
        judges=SPARK_ONLY,
    ),
    Case(
        "spark: raw string literals stay",
        r"SELECT r'\d', '\\d' FROM users",
        "a b",
        r"SELECT r'\d' AS `a`, '\\d' AS `b` FROM `web`.`users`",
        dialect="spark",
        judges=SPARK_ONLY,
    ),
]
