"""Functions that Spark has, and not every release of Hive: their types are Spark's alone."""

from __future__ import annotations

from sqlglot import exp

from hive_views.analysis.tree.typing.context import Rule
from hive_views.analysis.tree.typing.results import by_engine

_BY_TYPE = {
    "bigint": """array_position monotonically_increasing_id unix_micros unix_millis unix_seconds width_bucket
        xxhash64""",
    "binary": "to_binary",
    "boolean": "arrays_overlap contains endswith isnan luhn_check map_contains_key startswith",
    "date": "curdate date_from_unix_date make_date",
    "double": "atan2 cosh cot csc expm1 hypot log1p randn random rint sec signum sinh tanh",
    "int": """bit_count bit_length cardinality dayofyear json_array_length regexp_count regexp_instr
        spark_partition_id unix_date weekday""",
    "string": """array_join btrim current_timezone format_string input_file_name regexp_substr
        schema_of_json session_user split_part to_char to_json typeof url_decode url_encode""",
    "timestamp": "date_trunc make_timestamp now timestamp_micros timestamp_millis timestamp_seconds",
    "array<string>": "regexp_extract_all",
}

NAMED: dict[str, Rule] = {
    name: rule
    for type_, names in _BY_TYPE.items()
    for each in names.split()
    for name, rule in by_engine(None, type_, each, f"not every Hive has {each}").items()
}

NODES = (
    *(
        exp.ArrayPosition,
        exp.ArrayToString,
        exp.Atan2,
        exp.BitLength,
        exp.BitwiseCount,
        exp.Contains,
        exp.Cosh,
        exp.Cot,
    ),
    *(exp.Csc, exp.CurrentTimezone, exp.DateFromUnixDate, exp.DayOfYear, exp.EndsWith, exp.Format, exp.IsNan),
    *(exp.JSONFormat, exp.MapContainsKey, exp.Randn, exp.RegexpCount, exp.RegexpExtractAll),
    *(exp.RegexpInstr, exp.RegexpSubstr, exp.Rint, exp.Sec, exp.SessionUser, exp.Sinh, exp.SplitPart),
    *(exp.StartsWith, exp.Tanh, exp.TimestampFromParts, exp.ToBinary, exp.ToChar, exp.Typeof, exp.UnixDate),
    *(exp.UnixMicros, exp.UnixMillis, exp.UnixSeconds, exp.WidthBucket),
)
