"""Cases about names: of tables, of output columns, of common table expressions."""

from __future__ import annotations

from tests.support.texts.expanded_texts.case import SPARK_ONLY, Case

NAMES = [
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
        "SELECT 1 AS `a`, 'a' AS `b`, 1.5e3 AS `c`, 0.5D AS `d`, 10L AS `e`, -2 AS `f` FROM `web`.`users`",
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
        "a conversion that is sorted by keeps the name of its column, by which engines sort what is converted",
        "SELECT cast(page AS int), user_id FROM clicks ORDER BY page",
        "p who",
        "SELECT `page` AS `p`, `who` AS `who` FROM (SELECT cast(page AS int) AS `page`, user_id AS `who` "
        "FROM `web`.`clicks` ORDER BY page) `daily`",
    ),
    Case(
        "a position is sorted by what stands there",
        "SELECT cast(page AS int) FROM clicks ORDER BY 1",
        "page",
        "SELECT cast(page AS int) AS `page` FROM `web`.`clicks` ORDER BY 1",
    ),
    Case(
        "of one column under two conversions, the first has its name",
        "SELECT int(user_id), bigint(user_id) FROM clicks UNION ALL SELECT 1, 2 FROM users ORDER BY user_id",
        "a b",
        "SELECT `user_id` AS `a`, `b` AS `b` FROM (SELECT int(user_id) AS `user_id`, bigint(user_id) AS `b` "
        "FROM `web`.`clicks` UNION ALL SELECT 1, 2 FROM `web`.`users` ORDER BY user_id) `daily`",
        answered=False,
    ),
    Case(
        "in Spark a conversion has the name of its column beside groups too",
        "SELECT cast(page AS int), count(*) FROM clicks GROUP BY page ORDER BY page",
        "p n",
        "SELECT `page` AS `p`, `n` AS `n` FROM (SELECT cast(page AS int) AS `page`, count(*) AS `n` "
        "FROM `web`.`clicks` GROUP BY page ORDER BY page) `daily`",
        dialect="spark",
        judges=SPARK_ONLY,
    ),
    Case(
        "an automatic name counts a star as one",
        "SELECT u.*, user_id + 1 FROM users u ORDER BY `_c1`",
        "user_id name more",
        "SELECT `user_id` AS `user_id`, `name` AS `name`, `_c1` AS `more` "
        "FROM (SELECT u.*, user_id + 1 AS `_c1` FROM `web`.`users` u ORDER BY `_c1`) `daily`",
        answered=False,
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
        "a definition does not see the ones behind it in Spark",
        "WITH a AS (SELECT page FROM clicks), clicks AS (SELECT 'x' page) SELECT a.page FROM a JOIN clicks b ON true",
        "page",
        "WITH a AS (SELECT page FROM `web`.`clicks`), clicks AS (SELECT 'x' page) "
        "SELECT a.page AS `page` FROM a JOIN clicks b ON true",
        dialect="spark",
    ),
    Case(
        "names in a struct get back-quotes once",
        "SELECT struct(date, `_id`), struct(c.date) FROM (SELECT page AS date, ds AS `_id` FROM clicks) c",
        "a b",
        "SELECT struct(`date`, `_id`) AS `a`, struct(c.`date`) AS `b` "
        "FROM (SELECT page AS `date`, ds AS `_id` FROM `web`.`clicks`) c",
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
]
