"""Cases about what Hive's parser does not take as typed, or reads otherwise than Spark."""

from __future__ import annotations

from tests.support.texts.expanded_texts.case import Case

MENDED = [
    Case(
        "an interval without its word, in brackets or not, gets it",
        "SELECT date '2026-08-21' + (1) day, date '2026-08-21' - ('2') days, date '2026-08-21' + 1 month FROM clicks",
        "a b c",
        "SELECT date '2026-08-21' + INTERVAL 1 day AS `a`, date '2026-08-21' - INTERVAL '2' days AS `b`, "
        "date '2026-08-21' + INTERVAL 1 month AS `c` FROM `web`.`clicks`",
        answered=False,
    ),
    Case(
        "words of Hive get back-quotes where they are names",
        "SELECT c.user_id AS order, c.page user, name AS date FROM clicks c JOIN users AS group "
        "ON c.user_id = group.user_id WHERE group.name > '' ORDER BY date",
        "order user date",
        "SELECT c.user_id AS `order`, c.page `user`, name AS `date` FROM `web`.`clicks` c JOIN `web`.`users` "
        "AS `group` ON c.user_id = `group`.user_id WHERE `group`.name > '' ORDER BY `date`",
    ),
    Case(
        "words of Hive as names of common table expressions, windows and lateral views get back-quotes",
        "WITH order AS (SELECT user_id AS some, page AS time, tags FROM clicks) "
        "SELECT some, sum(some) OVER w, row FROM order LATERAL VIEW explode(tags) x AS row WINDOW w AS (ORDER BY time)",
        "a b c",
        "WITH `order` AS (SELECT user_id AS `some`, page AS `time`, tags FROM `web`.`clicks`) "
        "SELECT `some` AS `a`, sum(`some`) OVER w AS `b`, `row` AS `c` FROM `order` "
        "LATERAL VIEW explode(tags) x AS `row` WINDOW w AS (ORDER BY `time`)",
    ),
    Case(
        "words of Hive that are functions and types stay",
        "SELECT if(amount > 3, date(ds), current_date), int(amount), cast(amount AS date) FROM clicks",
        "a b c",
        "SELECT if(amount > 3, date(ds), current_date) AS `a`, int(amount) AS `b`, cast(amount AS date) AS `c` "
        "FROM `web`.`clicks`",
        answered=False,
    ),
    Case(
        "names outside ASCII get back-quotes",
        "SELECT page AS größe FROM clicks c",
        "größe",
        "SELECT page AS `größe` FROM `web`.`clicks` c",
        answered=False,
    ),
    Case(
        "blanks that are none to Hive become one, but for those in literals, names and comments",
        "SELECT\u00a0page,\u3000'a\u00a0b',\fname AS `x\u00a0y` /* \u00a0 */ FROM\u00a0clicks, users",
        "p q r",
        "SELECT `p` AS `p`, `q` AS `q`, `x\u00a0y` AS `r` FROM (SELECT page AS `p`, 'a\\u00a0b' AS `q`, "
        "name AS `x\u00a0y` /* \u00a0 */ FROM `web`.`clicks`, `web`.`users`) `daily`",
    ),
    Case(
        "a fraction gets the digit that Hive wants before the point",
        "SELECT .5, -.25D FROM users",
        "a b",
        "SELECT 0.5 AS `a`, -0.25D AS `b` FROM `web`.`users`",
    ),
    Case(
        "IS TRUE, IS FALSE and IS DISTINCT FROM are written with <=>",
        "SELECT amount > 3 IS TRUE, amount = 3 IS NOT FALSE, page IS DISTINCT FROM 'x', page IS NOT DISTINCT FROM 'y' "
        "FROM clicks WHERE (amount > 3) IS NOT TRUE AND NOT (amount > 9) IS TRUE",
        "a b c d",
        "SELECT (amount > 3) <=> TRUE AS `a`, (NOT (amount = 3) <=> FALSE) AS `b`, (NOT page <=> 'x') AS `c`, "
        "page <=> 'y' AS `d` FROM `web`.`clicks` WHERE (NOT (amount > 3) <=> TRUE) AND NOT (amount > 9) <=> TRUE",
    ),
    Case(
        "what || joins is in brackets where Hive calculates first",
        "SELECT 9 + 9 || 9 + 9, name || user_id, name || (user_id - 1) || 'x' || -user_id FROM users",
        "a b c",
        "SELECT (9 + 9) || (9 + 9) AS `a`, name || user_id AS `b`, name || (user_id - 1) || 'x' || -user_id AS `c` "
        "FROM `web`.`users`",
        answered=False,
    ),
    Case(
        "a power of bits is in brackets, which Hive calculates first and Spark late",
        "SELECT 1 ^ 2 * 3 + 4 ^ 5 & 6, 1 ^ 2 | 4 FROM users",
        "a b",
        "SELECT (1 ^ 2) * 3 + (4 ^ 5) & 6 AS `a`, 1 ^ 2 | 4 AS `b` FROM `web`.`users`",
        answered=False,
    ),
    Case(
        "a predicate beside = is in brackets, as Hive reads it",
        "SELECT true = page LIKE '/a', page IN ('/a') = true, amount < 3 = false, true = amount < 3 FROM clicks",
        "a b c d",
        "SELECT true = (page LIKE '/a') AS `a`, (page IN ('/a')) = true AS `b`, amount < 3 = false AS `c`, "
        "true = (amount < 3) AS `d` FROM `web`.`clicks`",
        answered=False,
    ),
    Case(
        "a sum before IS NULL is in brackets, for Hive 2.3",
        "SELECT amount + 1 IS NULL, -amount IS NOT NULL, NOT page IS NULL FROM clicks WHERE lower(page) IS NOT NULL",
        "a b c",
        "SELECT (amount + 1) IS NULL AS `a`, -amount IS NOT NULL AS `b`, NOT page IS NULL AS `c` FROM `web`.`clicks` "
        "WHERE lower(page) IS NOT NULL",
    ),
    Case(
        "of two signs in a row the second gets brackets, since Hive's parser takes it for an operand",
        "SELECT - -amount, ~ - + amount, NOT NOT page LIKE '/a' FROM clicks",
        "a b c",
        "SELECT - (-amount) AS `a`, ~ (- (+ amount)) AS `b`, NOT (NOT page LIKE '/a') AS `c` FROM `web`.`clicks`",
    ),
    Case(
        "a limit with a comma is written with OFFSET",
        "SELECT page FROM clicks LIMIT 2, 3",
        "page",
        "SELECT page AS `page` FROM `web`.`clicks` LIMIT 3 OFFSET 2",
        answered=False,
    ),
    Case(
        "a comma before another join is a cross join, from left to right whatever the settings of Spark",
        "SELECT c.page, u.name FROM clicks c, users u RIGHT JOIN users v ON u.user_id = v.user_id, users w",
        "a b",
        "SELECT c.page AS `a`, u.name AS `b` FROM `web`.`clicks` c CROSS JOIN `web`.`users` u "
        "RIGHT JOIN `web`.`users` v ON u.user_id = v.user_id, `web`.`users` w",
        answered=False,
    ),
    Case(
        "a comma between tables in brackets is a cross join, for Spark takes none there",
        "SELECT c.page FROM (clicks c, users u) JOIN users v ON u.user_id = v.user_id",
        "page",
        "SELECT c.page AS `page` FROM (`web`.`clicks` c CROSS JOIN `web`.`users` u) "
        "JOIN `web`.`users` v ON u.user_id = v.user_id",
        answered=False,
    ),
    Case(
        "keys to sort by are without brackets, in which DESC is a field's name to Spark",
        "SELECT page FROM clicks SORT BY (page DESC)",
        "page",
        "SELECT page AS `page` FROM `web`.`clicks` SORT BY page DESC",
        answered=False,
    ),
    Case(
        "a number of an interval is without brackets",
        "SELECT date '2026-08-21' + interval (1) day, date '2026-08-21' + interval('2')month FROM users",
        "a b",
        "SELECT date '2026-08-21' + interval 1 day AS `a`, date '2026-08-21' + interval '2' month AS `b` "
        "FROM `web`.`users`",
        answered=False,
    ),
    Case(
        "DOUBLE PRECISION is DOUBLE",
        "SELECT cast(amount AS double precision) FROM clicks",
        "a",
        "SELECT cast(amount AS double) AS `a` FROM `web`.`clicks`",
        answered=False,
    ),
    Case(
        "a comment ends with its line in Spark as well",
        "SELECT page -- C:\\\n, amount FROM clicks",
        "a b",
        "SELECT page AS `a` -- C:\\ \n, amount AS `b` FROM `web`.`clicks`",
        answered=False,
    ),
    Case(
        "an expression is not called as a column that keeps its name",
        "SELECT page, max(amount) FROM clicks GROUP BY page HAVING max(amount) > 3",
        "amount page",
        "SELECT `page` AS `amount`, `_c1` AS `page` FROM (SELECT page, max(amount) AS `_c1` FROM `web`.`clicks` "
        "GROUP BY page HAVING max(amount) > 3) `daily`",
    ),
]
