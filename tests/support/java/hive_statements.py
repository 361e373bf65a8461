"""What Hive's own parser makes of a statement about views, as our values, read from its tree."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

from hive_views.ddl.grammar.statements import (
    AddPartitions,
    AlterViewAs,
    Comparison,
    Constant,
    CreateView,
    DescribeView,
    DropPartitions,
    DropView,
    Name,
    Operator,
    OutputColumn,
    PartitionValues,
    RenameView,
    SetProperties,
    ShowColumns,
    ShowCreateView,
    ShowPartitions,
    ShowProperties,
    ShowViews,
    UnsetProperties,
    UseNamespace,
    ViewStatement,
)
from hive_views.sql.query import QueryText

_OPERATORS = {"==": "=", "<>": "!="}


class RefusedByHive(Exception):  # noqa: N818 - a verdict, not a fault
    """Hive's parser refuses the text, or its type checker a constant in it."""


class NotAboutViews(Exception):  # noqa: N818 - likewise
    """Hive takes the text for a statement that has no value here."""


class HiveParser:
    """Hive 2.3.10's parser."""

    def __init__(self, jvm: Any, scratch: Path) -> None:
        from py4j.protocol import Py4JJavaError

        self._failure: type[Exception] = Py4JJavaError
        self._api = jvm.org.apache.hadoop.hive
        self._grammar = self._api.ql.parse.HiveParser
        self._conf = self._api.conf.HiveConf()
        # Without a session, a Context asks the configuration for its scratch directories.
        self._conf.set("_hive.hdfs.session.path", str(scratch / "hdfs"))
        self._conf.set("_hive.local.session.path", str(scratch / "local"))
        self._context: Any = None

    def keywords(self) -> list[str]:
        """The words of Hive's lexer, reserved or not."""
        return [name.removeprefix("KW_") for name in self._grammar.tokenNames if name.startswith("KW_")]

    def complaint(self, sql: str) -> str | None:
        """What the parser has against the text; None when it takes it."""
        try:
            self.tree(sql)
        except RefusedByHive as refused:
            return str(refused)
        return None

    def statement(self, sql: str) -> ViewStatement:
        """The statement as our value. The query is the text that Hive keeps, which has no back-quotes."""
        tree = self.tree(sql)
        read = _READERS.get(tree.getText())
        if read is None:
            raise NotAboutViews(tree.getText())
        return read(self, tree)

    def tree(self, sql: str) -> Any:
        """The tree of a text.

        Raises:
            RefusedByHive: the parser does not take it.
        """
        self._context = self._api.ql.Context(self._conf)
        return self._asked(lambda: self._api.ql.parse.ParseUtils.parse(sql, self._context))

    def _asked(self, question: Callable[[], Any]) -> Any:
        try:
            return question()
        except self._failure as error:
            raise RefusedByHive(str(error.java_exception.getMessage())) from error  # type: ignore[attr-defined]

    def string(self, node: Any) -> str:
        return str(self._api.ql.parse.BaseSemanticAnalyzer.unescapeSQLString(node.getText()))

    def query(self, node: Any) -> QueryText:
        tokens = self._context.getTokenRewriteStream()
        return QueryText(str(tokens.toOriginalString(node.getTokenStartIndex(), node.getTokenStopIndex())), "hive")

    def constant(self, node: Any) -> Constant:
        """The constant as Hive's type checker evaluates it."""
        checker = self._api.ql.parse
        nodes = self._asked(lambda: checker.TypeCheckProcFactory.genExprNode(node, checker.TypeCheckCtx(None)))
        value = nodes.get(node).getValue()
        if not hasattr(value, "toString"):
            return cast("Constant", value)
        text, kind = value.toString(), value.getClass().getName()
        if kind == "java.sql.Date":
            return date.fromisoformat(text)
        if kind == "java.sql.Timestamp":
            whole, fraction = text.split(".")
            return datetime.fromisoformat(f"{whole}.{fraction.ljust(6, '0')}")
        number = Decimal(text)
        return (
            int(number) if nodes.get(node).getTypeString() == "decimal(19,0)" and node.getText().isdigit() else number
        )


def _children(node: Any) -> list[Any]:
    return [node.getChild(place) for place in range(node.getChildCount())]


def _find(node: Any, text: str) -> Any:
    return next((child for child in _children(node) if child.getText() == text), None)


def _name(node: Any) -> Name:
    *namespace, name = (child.getText() for child in _children(node))
    return Name(namespace[0] if namespace else None, name)


def _values(hive: HiveParser, node: Any) -> PartitionValues | None:
    if node is None:
        return None
    pairs = []
    for pair in _children(node):
        column, *value = _children(pair)
        if not value:
            raise NotAboutViews("a column without value")
        pairs.append((column.getText(), hive.constant(value[0])))
    return PartitionValues(tuple(pairs))


def _comparison(hive: HiveParser, node: Any) -> Comparison:
    column, operator, value = _children(node)
    sign = operator.getText()
    return Comparison(column.getText(), cast("Operator", _OPERATORS.get(sign, sign)), hive.constant(value))


def _properties(hive: HiveParser, node: Any) -> tuple[tuple[str, str], ...]:
    pairs = {}
    for pair in _children(node.getChild(0)):
        key, value = _children(pair)
        pairs[hive.string(key)] = "" if value.getText() == "TOK_NULL" else hive.string(value)
    return tuple(pairs.items())


def _create(hive: HiveParser, tree: Any) -> ViewStatement:
    columns, comment = _find(tree, "TOK_TABCOLNAME"), _find(tree, "TOK_TABLECOMMENT")
    keys, properties = _find(tree, "TOK_VIEWPARTCOLS"), _find(tree, "TOK_TABLEPROPERTIES")
    return CreateView(
        _name(tree.getChild(0)),
        hive.query(_find(tree, "TOK_QUERY")),
        replace=_find(tree, "TOK_ORREPLACE") is not None,
        if_not_exists=_find(tree, "TOK_IFNOTEXISTS") is not None,
        columns=columns and tuple(_column(hive, node) for node in _children(columns)),
        comment=comment and hive.string(comment.getChild(0)),
        partitioned_on=tuple(node.getText() for node in _children(keys.getChild(0))) if keys else (),
        properties=_properties(hive, properties) if properties else (),
    )


def _column(hive: HiveParser, node: Any) -> OutputColumn:
    name, _, *comment = _children(node)
    return OutputColumn(name.getText(), hive.string(comment[0]) if comment else None)


def _alter(hive: HiveParser, tree: Any) -> ViewStatement:
    name, change = _name(tree.getChild(0)), tree.getChild(1)
    parts = _children(change)
    match change.getText():
        case "TOK_QUERY":
            return AlterViewAs(name, hive.query(change))
        case "TOK_ALTERVIEW_PROPERTIES":
            return SetProperties(name, _properties(hive, parts[0]))
        case "TOK_ALTERVIEW_DROPPROPERTIES":
            keys = tuple(key for key, _ in _properties(hive, parts[0]))
            return UnsetProperties(name, keys, if_exists=_find(change, "TOK_IFEXISTS") is not None)
        case "TOK_ALTERVIEW_RENAME":
            return RenameView(name, _name(parts[0]))
        case "TOK_ALTERVIEW_ADDPARTS":
            specs = tuple(_values(hive, node) for node in parts if node.getText() == "TOK_PARTSPEC")
            exists = _find(change, "TOK_IFNOTEXISTS") is not None
            return AddPartitions(name, cast("tuple[PartitionValues, ...]", specs), exists)
    filters = [_children(node) for node in parts if node.getText() == "TOK_PARTSPEC"]
    matching = tuple(tuple(_comparison(hive, node) for node in nodes) for nodes in filters)
    return DropPartitions(name, matching, _find(change, "TOK_IFEXISTS") is not None)


def _show_views(hive: HiveParser, tree: Any) -> ViewStatement:
    words = _children(tree)
    namespace = words[1].getText() if words and words[0].getText() == "TOK_FROM" else None
    pattern = words[2:] if namespace is not None else words
    return ShowViews(namespace, _pattern(hive, pattern[0]) if pattern else None)


def _pattern(hive: HiveParser, node: Any) -> str:
    text = str(node.getText())
    return hive.string(node) if text[:1] in ("'", '"') else text


def _show_columns(_: HiveParser, tree: Any) -> ViewStatement:
    name, *namespace = _children(tree)
    return ShowColumns(Name(namespace[0].getText(), _name(name).name) if namespace else _name(name))


def _describe(hive: HiveParser, tree: Any) -> ViewStatement:
    what, *detail = _children(tree)
    name, *rest = _children(what)
    spec = _find(what, "TOK_PARTSPEC")
    column = [node for node in rest if node.getText() != "TOK_PARTSPEC"]
    option = detail[0].getText().lower() if detail else None
    if option == "pretty":
        raise NotAboutViews("PRETTY")
    return DescribeView(_name(name), option, _values(hive, spec), tuple(_path(column[0])) if column else ())


def _path(node: Any) -> list[str]:
    parts = _children(node)
    return [word for part in parts for word in _path(part)] if parts else [node.getText()]


_READERS: dict[str, Callable[[HiveParser, Any], ViewStatement]] = {
    "TOK_CREATEVIEW": _create,
    "TOK_ALTERVIEW": _alter,
    "TOK_DROPVIEW": lambda _, tree: DropView(_name(tree.getChild(0)), _find(tree, "TOK_IFEXISTS") is not None),
    "TOK_SHOWVIEWS": _show_views,
    "TOK_SHOWPARTITIONS": lambda hive, tree: ShowPartitions(
        _name(tree.getChild(0)), _values(hive, _find(tree, "TOK_PARTSPEC"))
    ),
    "TOK_SHOW_TBLPROPERTIES": lambda hive, tree: ShowProperties(
        _name(tree.getChild(0)), hive.string(tree.getChild(1)) if tree.getChildCount() > 1 else None
    ),
    "TOK_SHOWCOLUMNS": _show_columns,
    "TOK_SHOW_CREATETABLE": lambda _, tree: ShowCreateView(_name(tree.getChild(0))),
    "TOK_DESCTABLE": _describe,
    "TOK_SWITCHDATABASE": lambda _, tree: UseNamespace(tree.getChild(0).getText()),
}
