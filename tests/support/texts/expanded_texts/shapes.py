"""Cases about the shape of a query: set operations, brackets, clauses, functions that yield tables."""

from __future__ import annotations

from tests.support.texts.expanded_texts.case import SPARK_ONLY, Case

SHAPES = [
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
        "SELECT * FROM users UNION ALL SELECT u.* FROM users u",
        "user_id name",
        "SELECT `user_id` AS `user_id`, `name` AS `name` FROM "
        "(SELECT * FROM `web`.`users` UNION ALL SELECT u.* FROM `web`.`users` u) `daily`",
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
]
