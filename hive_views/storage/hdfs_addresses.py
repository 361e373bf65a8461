"""Where the NameNodes of an HDFS location answer over HTTP: by the user's options, Hadoop's own files, or its ports."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

_HTTP, _HTTPS = 9870, 9871


def namenodes_of(scheme: str, host: str, port: int | None, given: Mapping[str, Any], *, use_https: bool) -> list[str]:
    """The addresses (``host:port``) to ask, in turn until one is active.

    Args:
        scheme: of the location.
        host: of the location; "" for that of ``fs.defaultFS``.
        port: of the location.
        given: addresses by host or nameservice.
        use_https: whether they are asked by HTTPS.

    Raises:
        ValueError: nothing says where they are.
    """
    default = _HTTPS if use_https else _HTTP
    if scheme == "webhdfs":
        return [f"{host}:{port or default}"]
    if not host and scheme == "hdfs":
        host = urlsplit(_properties("core-site.xml").get("fs.defaultFS", "")).hostname or ""
        if not host:
            raise ValueError(
                "the location names no NameNode. Write it as hdfs://namenode/..., or set HADOOP_CONF_DIR to the "
                "directory of core-site.xml with fs.defaultFS"
            )
    if host in given:
        named = given[host]
        return [named] if isinstance(named, str) else list(named)
    if scheme == "viewfs":
        # The table of mounts may lead to any cluster.
        raise ValueError(
            f"WebHDFS has no mount tables for viewfs://{host}. Name an HttpFS gateway whose fs.defaultFS it is "
            f'(storage_options.namenodes = {{"{host}": "gateway:14000"}}), or write locations as hdfs://'
        )
    return _of_nameservice(host, use_https=use_https) or [f"{host}:{default}"]


def _of_nameservice(name: str, *, use_https: bool) -> list[str]:
    found = _properties("hdfs-site.xml")
    kind = "dfs.namenode.https-address" if use_https else "dfs.namenode.http-address"
    ids = [one.strip() for one in found.get(f"dfs.ha.namenodes.{name}", "").split(",") if one.strip()]
    return [address for one in ids if (address := found.get(f"{kind}.{name}.{one}"))]


def _properties(file: str) -> dict[str, str]:
    """The properties in one of Hadoop's files; none where ``HADOOP_CONF_DIR`` is not set or has no such file."""
    directory = os.environ.get("HADOOP_CONF_DIR")
    if not directory or not (path := Path(directory) / file).is_file():
        return {}
    try:
        root = ET.parse(path).getroot()  # noqa: S314 - the administrator's own file
    except (OSError, ET.ParseError) as e:
        raise ValueError(f"cannot read {path}: {e}") from e
    return {one.findtext("name", "").strip(): one.findtext("value", "").strip() for one in root.iter("property")}
