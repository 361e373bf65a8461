r"""Queries and their expanded texts, for the unit tests and for the parsers and engines that judge them.

What lives here: data, and the tables that it reads. What must not: assertions.
"""

from __future__ import annotations

from typing import NamedTuple

NAMESPACE = "web"
"""The namespace of tables that are named without one."""

VIEW = "daily"

TABLES = {
    # Every row differs in every column, so that a mix-up of columns or tables shows.
    "web.clicks": """SELECT * FROM VALUES
        (1L, '/a', 3, array('x', 'y'), map('k', 'v', 'l', 'w'), named_struct('day', 'mon', 'hour', 7), '2026-08-21'),
        (2L, '/b', 5, array('z'), map('m', 'u'), named_struct('day', 'tue', 'hour', 8), '2026-08-21'),
        (1L, '/c', 8, array('q'), map('n', 't'), named_struct('day', 'wed', 'hour', 9), '2026-08-22')
        AS t(user_id, page, amount, tags, props, visit, ds)""",
    "web.users": "SELECT * FROM VALUES (1L, 'Ann'), (2L, 'Zoë') AS t(user_id, name)",
    "shop.clicks": "SELECT * FROM VALUES (9L, '/shop', 99) AS t(user_id, page, amount)",
}


class Case(NamedTuple):
    """``judges`` have the expanded text in their grammar; ``answered`` says that Spark can run the text as typed."""

    rule: str
    sql: str
    columns: str
    expanded: str
    dialect: str = "hive"
    judges: tuple[str, ...] = ("hive", "spark")
    answered: bool = True


HIVE_ONLY, SPARK_ONLY = ("hive",), ("spark",)

CASES = [
    Case(
        "a table without a namespace gets the view's, and a plain column an alias",
        "SELECT page FROM clicks",
        "page",
        "SELECT page AS `page` FROM `web`.`clicks`",
    ),
    Case(
        "a table with a namespace keeps it",
        "SELECT page FROM shop.clicks",
        "page",
        "SELECT page AS `page` FROM `shop`.`clicks`",
    ),
    Case(
        "case, spaces and comments inside a table name stay as typed",
        "SELECT page FROM Shop /* the shop's */ . CLICKS",
        "page",
        "SELECT page AS `page` FROM `Shop` /* the shop's */ . `CLICKS`",
    ),
    Case(
        "names in back-quotes stay, whatever is in them",
        "SELECT `page` FROM shop.`odd name`",
        "page",
        "SELECT `page` AS `page` FROM `shop`.`odd name`",
        answered=False,
    ),
    Case(
        "column references stay as typed",
        "SELECT clicks.user_id, c.page FROM clicks JOIN shop.clicks c ON clicks.user_id <> c.user_id",
        "user_id page",
        "SELECT clicks.user_id AS `user_id`, c.page AS `page` "
        "FROM `web`.`clicks` JOIN `shop`.`clicks` c ON clicks.user_id <> c.user_id",
    ),
    Case(
        "an alias that is the schema's name stays, with AS or without, in any case",
        "SELECT user_id AS U, count(*) n, max(page) AS `p` FROM clicks GROUP BY user_id",
        "u N p",
        "SELECT user_id AS U, count(*) n, max(page) AS `p` FROM `web`.`clicks` GROUP BY user_id",
    ),
    Case(
        "an expression gets the schema's name",
        "SELECT user_id, count(*), sum(amount) + 1 FROM clicks GROUP BY user_id",
        "user_id n total",
        "SELECT user_id AS `user_id`, count(*) AS `n`, sum(amount) + 1 AS `total` FROM `web`.`clicks` GROUP BY user_id",
    ),
    Case(
        "a literal gets the schema's name",
        "SELECT 1, 'a', 1.5e3, .5D, 10L, -2 FROM users",
        "a b c d e f",
        "SELECT 1 AS `a`, 'a' AS `b`, 1.5e3 AS `c`, .5D AS `d`, 10L AS `e`, -2 AS `f` FROM `web`.`users`",
        judges=SPARK_ONLY,
    ),
    Case(
        "a query without FROM gets its names too",
        "SELECT 1, date '2026-08-21' LIMIT 1",
        "one day",
        "SELECT 1 AS `one`, date '2026-08-21' AS `day` LIMIT 1",
    ),
    Case(
        "a plain column is renamed by its alias",
        "SELECT user_id FROM clicks",
        "who",
        "SELECT user_id AS `who` FROM `web`.`clicks`",
    ),
    Case(
        "columns of one name from two tables get the schema's names",
        "SELECT c.user_id, u.user_id FROM clicks c JOIN users u ON c.user_id = u.user_id",
        "clicked_by known_as",
        "SELECT c.user_id AS `clicked_by`, u.user_id AS `known_as` "
        "FROM `web`.`clicks` c JOIN `web`.`users` u ON c.user_id = u.user_id",
    ),
    Case(
        "an alias that differs from the schema's name is renamed from outside",
        "SELECT user_id AS who, page FROM clicks",
        "user_id page",
        "SELECT `who` AS `user_id`, `page` AS `page` "
        "FROM (SELECT user_id AS who, page AS `page` FROM `web`.`clicks`) `daily`",
    ),
    Case(
        "struct fields, map values and array elements stay as typed",
        "SELECT visit.day, c.visit.hour, props['k'], tags[0], named_struct('f', 1).f FROM clicks c",
        "day hour k tag f",
        "SELECT visit.day AS `day`, c.visit.hour AS `hour`, props['k'] AS `k`, tags[0] AS `tag`, "
        "named_struct('f', 1).f AS `f` FROM `web`.`clicks` c",
    ),
    Case(
        "a star is named from outside",
        "SELECT * FROM users",
        "user_id name",
        "SELECT `user_id` AS `user_id`, `name` AS `name` FROM (SELECT * FROM `web`.`users`) `daily`",
    ),
    Case(
        "expressions beside a star get their names from the front and from the back of the schema",
        "SELECT amount + 1, u.*, max(amount) OVER (), page FROM clicks JOIN users u ON clicks.user_id = u.user_id",
        "more user_id name top page",
        "SELECT `more` AS `more`, `user_id` AS `user_id`, `name` AS `name`, `top` AS `top`, `page` AS `page` FROM ("
        "SELECT amount + 1 AS `more`, u.*, max(amount) OVER () AS `top`, page AS `page` "
        "FROM `web`.`clicks` JOIN `web`.`users` u ON clicks.user_id = u.user_id) `daily`",
    ),
    Case(
        "an alias between two stars stays",
        "SELECT u.*, 1 AS one, c.* FROM users u JOIN shop.clicks c ON u.user_id < c.user_id",
        "user_id name one buyer page amount",
        "SELECT `user_id` AS `user_id`, `name` AS `name`, `one` AS `one`, `buyer` AS `buyer`, `page` AS `page`, "
        "`amount` AS `amount` FROM (SELECT u.*, 1 AS one, c.* "
        "FROM `web`.`users` u JOIN `shop`.`clicks` c ON u.user_id < c.user_id) `daily`",
        judges=(),
    ),
    Case(
        "a count of all rows is no star",
        "SELECT count(*), count(DISTINCT user_id, page) FROM clicks",
        "n d",
        "SELECT count(*) AS `n`, count(DISTINCT user_id, page) AS `d` FROM `web`.`clicks`",
    ),
    Case(
        "a common table expression is no table",
        "WITH c AS (SELECT user_id, page FROM clicks), d AS (SELECT page FROM c) SELECT d.page FROM d JOIN c ON true",
        "page",
        "WITH c AS (SELECT user_id, page FROM `web`.`clicks`), d AS (SELECT page FROM c) "
        "SELECT d.page AS `page` FROM d JOIN c ON true",
    ),
    Case(
        "inside the definition of a common table expression its name is a table",
        "WITH users AS (SELECT name FROM Users WHERE user_id > 1) SELECT name FROM USERS",
        "name",
        "WITH users AS (SELECT name FROM `web`.`Users` WHERE user_id > 1) SELECT name AS `name` FROM USERS",
    ),
    Case(
        "a definition does not see the ones behind it",
        "WITH a AS (SELECT page FROM clicks), clicks AS (SELECT 'x' page) SELECT a.page FROM a JOIN clicks b ON true",
        "page",
        "WITH a AS (SELECT page FROM `web`.`clicks`), clicks AS (SELECT 'x' page) "
        "SELECT a.page AS `page` FROM a JOIN clicks b ON true",
    ),
    Case(
        "a name with a namespace is a table, whatever WITH says",
        "WITH clicks AS (SELECT 'x' page) SELECT a.page, b.page FROM clicks a JOIN web.clicks b ON true",
        "a b",
        "WITH clicks AS (SELECT 'x' page) "
        "SELECT a.page AS `a`, b.page AS `b` FROM clicks a JOIN `web`.`clicks` b ON true",
    ),
    Case(
        "a nested WITH hides a name only inside its query",
        "SELECT q.page, u.name FROM (WITH users AS (SELECT page FROM clicks) SELECT page FROM users) q, users u",
        "page name",
        "SELECT q.page AS `page`, u.name AS `name` FROM "
        "(WITH users AS (SELECT page FROM `web`.`clicks`) SELECT page FROM users) q, `web`.`users` u",
    ),
    Case(
        "the query around which names are given comes after WITH",
        "WITH c AS (SELECT * FROM clicks) SELECT c.user_id AS u, c.page FROM c",
        "who page",
        "WITH c AS (SELECT * FROM `web`.`clicks`) SELECT `u` AS `who`, `page` AS `page` "
        "FROM (SELECT c.user_id AS u, c.page AS `page` FROM c) `daily`",
    ),
    Case(
        "a recursive definition sees itself",
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r",
        "n",
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n AS `n` FROM r",
        dialect="spark",
        judges=SPARK_ONLY,
    ),
    Case(
        "a definition with column names is understood",
        "WITH r (n, m) AS (SELECT user_id, page FROM clicks) SELECT m FROM r",
        "m",
        "WITH r (n, m) AS (SELECT user_id, page FROM `web`.`clicks`) SELECT m AS `m` FROM r",
        dialect="spark",
        judges=SPARK_ONLY,
    ),
    Case(
        "in a set operation the first branch gets the names",
        "SELECT user_id, page FROM clicks UNION ALL SELECT user_id, name FROM users",
        "who what",
        "SELECT user_id AS `who`, page AS `what` FROM `web`.`clicks` UNION ALL SELECT user_id, name FROM `web`.`users`",
    ),
    Case(
        "three branches are one set operation",
        "SELECT 1 UNION SELECT user_id FROM users UNION SELECT amount FROM clicks",
        "n",
        "SELECT 1 AS `n` UNION SELECT user_id FROM `web`.`users` UNION SELECT amount FROM `web`.`clicks`",
        judges=SPARK_ONLY,
    ),
    Case(
        "INTERSECT, EXCEPT and MINUS are set operations",
        "SELECT page FROM clicks INTERSECT SELECT page FROM clicks EXCEPT SELECT page FROM shop.clicks "
        "MINUS SELECT name FROM users",
        "p",
        "SELECT page AS `p` FROM `web`.`clicks` INTERSECT SELECT page FROM `web`.`clicks` "
        "EXCEPT SELECT page FROM `shop`.`clicks` MINUS SELECT name FROM `web`.`users`",
    ),
    Case(
        "branches in brackets are found",
        "(SELECT page FROM clicks LIMIT 10) UNION ALL (SELECT name FROM users)",
        "p",
        "(SELECT page AS `p` FROM `web`.`clicks` LIMIT 10) UNION ALL (SELECT name FROM `web`.`users`)",
    ),
    Case(
        "a set operation with a star is named from outside",
        "SELECT * FROM users UNION ALL SELECT user_id, page FROM clicks",
        "user_id name",
        "SELECT `user_id` AS `user_id`, `name` AS `name` FROM "
        "(SELECT * FROM `web`.`users` UNION ALL SELECT user_id, page FROM `web`.`clicks`) `daily`",
    ),
    Case(
        "a sorting of a set operation keeps the name that it sorts by",
        "SELECT page FROM clicks UNION ALL SELECT name FROM users ORDER BY page LIMIT 2",
        "p",
        "SELECT `page` AS `p` FROM "
        "(SELECT page FROM `web`.`clicks` UNION ALL SELECT name FROM `web`.`users` ORDER BY page LIMIT 2) `daily`",
    ),
    Case(
        "brackets around the query go",
        "((SELECT page FROM clicks))",
        "page",
        "SELECT page AS `page` FROM `web`.`clicks`",
    ),
    Case(
        "brackets around the query go before it is put into another one, which Hive refuses otherwise",
        "( ( SELECT * FROM users ) )",
        "user_id name",
        "SELECT `user_id` AS `user_id`, `name` AS `name` FROM (SELECT * FROM `web`.`users`) `daily`",
    ),
    Case(
        "brackets around a query with WITH go",
        "(WITH u AS (SELECT * FROM users) (SELECT * FROM u))",
        "user_id name",
        "WITH u AS (SELECT * FROM `web`.`users`) SELECT `user_id` AS `user_id`, `name` AS `name` "
        "FROM (SELECT * FROM u) `daily`",
    ),
    Case(
        "two WITH clauses keep the brackets between them",
        "WITH u AS (SELECT * FROM users) (WITH v AS (SELECT * FROM u) SELECT name FROM v)",
        "name",
        "WITH u AS (SELECT * FROM `web`.`users`) (WITH v AS (SELECT * FROM u) SELECT name AS `name` FROM v)",
        dialect="spark",
        judges=SPARK_ONLY,
    ),
    Case(
        "brackets around two branches go, those of each branch stay",
        "((SELECT page FROM clicks) UNION ALL (SELECT name FROM users))",
        "page",
        "(SELECT page AS `page` FROM `web`.`clicks`) UNION ALL (SELECT name FROM `web`.`users`)",
    ),
    Case(
        "brackets with a limit behind stay",
        "(SELECT page FROM clicks ORDER BY page) LIMIT 2",
        "page",
        "(SELECT page AS `page` FROM `web`.`clicks` ORDER BY page) LIMIT 2",
    ),
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
        "a sorting by a name without its table allows the alias",
        "SELECT page, count(*) FROM clicks GROUP BY page ORDER BY page LIMIT 2",
        "page n",
        "SELECT page AS `page`, count(*) AS `n` FROM `web`.`clicks` GROUP BY page ORDER BY page LIMIT 2",
    ),
    Case(
        "a column that a sorting names with its table gets no alias, which Hive 2.3 could not sort by",
        "SELECT c.page, c.amount + 1 FROM clicks c ORDER BY c.page",
        "page more",
        "SELECT `page` AS `page`, `more` AS `more` FROM "
        "(SELECT c.page, c.amount + 1 AS `more` FROM `web`.`clicks` c ORDER BY c.page) `daily`",
    ),
    Case(
        "a column that a sorting names keeps its name",
        "SELECT page FROM clicks DISTRIBUTE BY page SORT BY page DESC",
        "p",
        "SELECT `page` AS `p` FROM (SELECT page FROM `web`.`clicks` DISTRIBUTE BY page SORT BY page DESC) `daily`",
    ),
    Case(
        "CLUSTER BY sorts as well",
        "SELECT c.page FROM clicks c CLUSTER BY c.page",
        "page",
        "SELECT `page` AS `page` FROM (SELECT c.page FROM `web`.`clicks` c CLUSTER BY c.page) `daily`",
    ),
    Case(
        "a sorting by position names the column that stands there",
        "SELECT c.user_id, c.page FROM clicks c ORDER BY 2 DESC, 1",
        "user_id what",
        "SELECT `user_id` AS `user_id`, `page` AS `what` FROM "
        "(SELECT c.user_id, c.page FROM `web`.`clicks` c ORDER BY 2 DESC, 1) `daily`",
    ),
    Case(
        "a new name does not catch what HAVING means by it",
        "SELECT user_id, max(page) FROM clicks GROUP BY user_id, amount HAVING amount > 3",
        "user_id amount",
        "SELECT `user_id` AS `user_id`, `_c1` AS `amount` FROM "
        "(SELECT user_id AS `user_id`, max(page) AS `_c1` FROM `web`.`clicks` GROUP BY user_id, amount "
        "HAVING amount > 3) `daily`",
    ),
    Case(
        "an expression that a sorting calls by Hive's own name for it gets that name",
        "SELECT page, count(*) FROM clicks GROUP BY page ORDER BY `_c1`",
        "page n",
        "SELECT `page` AS `page`, `_c1` AS `n` FROM "
        "(SELECT page AS `page`, count(*) AS `_c1` FROM `web`.`clicks` GROUP BY page ORDER BY `_c1`) `daily`",
        answered=False,
    ),
    Case(
        "lateral views stay, with their functions, tables and columns",
        "SELECT page, tag, k FROM clicks LATERAL VIEW OUTER explode(tags) t AS tag "
        "LATERAL VIEW explode(props) p AS k, v WHERE t.tag <> 'z'",
        "page tag k",
        "SELECT page AS `page`, tag AS `tag`, k AS `k` FROM `web`.`clicks` LATERAL VIEW OUTER explode(tags) t AS tag "
        "LATERAL VIEW explode(props) p AS k, v WHERE t.tag <> 'z'",
    ),
    Case(
        "posexplode, json_tuple and stack in lateral views stay",
        "SELECT i, x, a, b FROM clicks LATERAL VIEW posexplode(tags) users AS i, x "
        "LATERAL VIEW json_tuple('{\"a\": 1}', 'a') j AS a LATERAL VIEW stack(2, 'p', 'q') s AS b",
        "i x a b",
        "SELECT i AS `i`, x AS `x`, a AS `a`, b AS `b` FROM `web`.`clicks` LATERAL VIEW posexplode(tags) users AS i, x "
        "LATERAL VIEW json_tuple('{\"a\": 1}', 'a') j AS a LATERAL VIEW stack(2, 'p', 'q') s AS b",
    ),
    Case(
        "a table generating function gets an alias for each column",
        "SELECT explode(props) FROM clicks",
        "k v",
        "SELECT explode(props) AS (`k`, `v`) FROM `web`.`clicks`",
    ),
    Case(
        "a table generating function gets one alias for one column",
        "SELECT explode(tags) FROM clicks",
        "tag",
        "SELECT explode(tags) AS `tag` FROM `web`.`clicks`",
    ),
    Case(
        "a table generating function gets the columns that are left",
        "SELECT page, posexplode(tags), user_id FROM clicks",
        "page i tag user_id",
        "SELECT page AS `page`, posexplode(tags) AS (`i`, `tag`), user_id AS `user_id` FROM `web`.`clicks`",
    ),
    Case(
        "aliases of a table generating function stay",
        "SELECT explode(props) AS (K, v) FROM clicks",
        "k v",
        "SELECT explode(props) AS (K, v) FROM `web`.`clicks`",
    ),
    Case(
        "aliases of a table generating function that differ are renamed from outside",
        "SELECT explode(props) AS (a, b) FROM clicks",
        "k v",
        "SELECT `a` AS `k`, `b` AS `v` FROM (SELECT explode(props) AS (a, b) FROM `web`.`clicks`) `daily`",
    ),
    Case(
        "tables in subqueries of every kind are found",
        "SELECT c.page FROM (SELECT * FROM clicks) c WHERE c.user_id IN (SELECT user_id FROM users) "
        "AND EXISTS (SELECT 1 FROM users u WHERE u.user_id = c.user_id)",
        "page",
        "SELECT c.page AS `page` FROM (SELECT * FROM `web`.`clicks`) c "
        "WHERE c.user_id IN (SELECT user_id FROM `web`.`users`) "
        "AND EXISTS (SELECT 1 FROM `web`.`users` u WHERE u.user_id = c.user_id)",
    ),
    Case(
        "a scalar subquery is an expression, even over a star",
        "SELECT (SELECT /*+ BROADCAST(users) */ max(name) FROM users), page FROM clicks",
        "top page",
        "SELECT (SELECT /*+ BROADCAST(users) */ max(name) FROM `web`.`users`) AS `top`, page AS `page` "
        "FROM `web`.`clicks`",
    ),
    Case(
        "every kind of join is read",
        "SELECT a.page FROM clicks a LEFT OUTER JOIN users b ON a.user_id = b.user_id "
        "LEFT SEMI JOIN shop.clicks c ON a.user_id < c.user_id CROSS JOIN users d, users e",
        "page",
        "SELECT a.page AS `page` FROM `web`.`clicks` a LEFT OUTER JOIN `web`.`users` b ON a.user_id = b.user_id "
        "LEFT SEMI JOIN `shop`.`clicks` c ON a.user_id < c.user_id CROSS JOIN `web`.`users` d, `web`.`users` e",
    ),
    Case(
        "a sample of a table stays",
        "SELECT page FROM clicks TABLESAMPLE (BUCKET 1 OUT OF 2 ON user_id) c",
        "page",
        "SELECT page AS `page` FROM `web`.`clicks` TABLESAMPLE (BUCKET 1 OUT OF 2 ON user_id) c",
        judges=HIVE_ONLY,
    ),
    Case(
        "a sample by percentage stays",
        "SELECT page FROM clicks TABLESAMPLE (100 PERCENT) c",
        "page",
        "SELECT page AS `page` FROM `web`.`clicks` TABLESAMPLE (100 PERCENT) c",
    ),
    Case(
        "windows stay",
        "SELECT sum(amount) OVER w, sum(amount) OVER (PARTITION BY user_id ORDER BY page), rank() OVER w r "
        "FROM clicks WINDOW w AS (PARTITION BY user_id ORDER BY page)",
        "a b r",
        "SELECT sum(amount) OVER w AS `a`, sum(amount) OVER (PARTITION BY user_id ORDER BY page) AS `b`, "
        "rank() OVER w r FROM `web`.`clicks` WINDOW w AS (PARTITION BY user_id ORDER BY page)",
    ),
    Case(
        "SELECT ALL and SELECT DISTINCT are no columns",
        "SELECT DISTINCT page FROM clicks UNION ALL SELECT ALL name FROM users",
        "p",
        "SELECT DISTINCT page AS `p` FROM `web`.`clicks` UNION ALL SELECT ALL name FROM `web`.`users`",
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
        "SELECT c.limit, limit, 1 AS end, c.end FROM (SELECT 1 AS limit, 2 AS end) c",
        "a limit end d",
        "SELECT c.limit AS `a`, limit AS `limit`, 1 AS end, c.end AS `d` FROM (SELECT 1 AS limit, 2 AS end) c",
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
