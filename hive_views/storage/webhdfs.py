"""HDFS over HTTP, as a file system of fsspec: WebHDFS of NameNodes and DataNodes, or an HttpFS gateway.

fsspec's own one writes over what a new file was to be refused for, hands out a DataNode's error as content, does not
read that a rename was refused, waits for ever, and asks one NameNode only.
"""

from __future__ import annotations

import getpass
import os
import socket
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

import requests
from fsspec.implementations.webhdfs import WebHDFile, WebHDFS
from urllib3.exceptions import NewConnectionError

from hive_views.storage.hdfs_addresses import namenodes_of

# Seconds to connect, and to wait for an answer or for its next part.
_TIMEOUT_S = (10.0, 60.0)
# Seconds between rounds through the NameNodes while none is active; a controlled fail-over takes about five.
_WAITS_S = (0.5, 1.0, 2.0, 4.0)
_DATANODES_ASKED = 3
_OUT_OF_SERVICE = 503
_WHERE = (
    "Check the network, and the addresses where all NameNodes answer over HTTP (storage_options.namenodes, or "
    "hdfs-site.xml in HADOOP_CONF_DIR)"
)
_HOW_WITH_KERBEROS = "Set storage_options.kerberos to true, or storage_options.token to a delegation token"
_ON_REJECTED_TICKET = (
    "Its log says why: most often its keytab lacks the current key of this principal (HTTP/host), its clock differs by "
    "more than five minutes, or its rules (hadoop.security.auth_to_local) do not have the user's realm"
)
_KINDS: Mapping[str, type[OSError]] = {
    "FileNotFoundException": FileNotFoundError,
    "FileAlreadyExistsException": FileExistsError,
    "AccessControlException": PermissionError,
    "AuthorizationException": PermissionError,
    "SecurityException": PermissionError,
}


class HdfsError(OSError):
    """What a NameNode or DataNode said, where Python has no class for it.

    Attributes:
        status_code: of HTTP; 503 where the cluster does not serve at the moment.
        error_code: ``IncompleteBody`` for an answer that was cut short.
    """

    def __init__(self, message: str, status_code: int | None = None, error_code: str | None = None) -> None:
        super().__init__(message)
        self.status_code = status_code
        self.error_code = error_code


class _NeverAskedError(ConnectionError):
    """There was no connection, so that nothing can have been done."""


class _BrokenOffError(ConnectionError):
    """What was asked for may have been done."""


class WebHdfs(WebHDFS):  # type: ignore[misc]
    """Files of HDFS; thread-safe. A file gets its name when all of it is there, and a name that is taken is refused.

    Args:
        scheme: of the locations: ``hdfs``, ``viewfs`` or ``webhdfs``.
        host: the NameNode, or the name of a nameservice.
        port: of a ``webhdfs`` location; that of others is for Hadoop's own protocol.
        namenodes: where WebHDFS answers, ``["nn1:9870", "nn2:9870"]``, by host or nameservice.
        user: whom to be where the cluster asks for no proof; default is ``HADOOP_USER_NAME``, else the user here.
        timeout: seconds to connect and to wait for an answer, one number or two.
        kerberos: whether to prove by a ticket who the user is.
        kerb_kwargs: of ``requests_gssapi.HTTPSPNEGOAuth``.
        options: of fsspec's ``WebHDFS``: ``token``, ``password``, ``proxy_to``, ``use_https``, ``session_cert``,
            ``session_verify``, ``data_proxy``.

    Raises:
        ImportError: the packages of Kerberos are missing.
        ValueError: a user is given beside ``kerberos`` or ``token``.
    """

    protocol = "webhdfs"
    # A session of requests is shared by threads, as its pool of connections is.
    serves_all_threads = True
    makes_parents = True

    def __init__(
        self,
        host: str = "",
        port: int | None = None,
        *,
        scheme: str = "webhdfs",
        namenodes: Mapping[str, Any] | None = None,
        user: str | None = None,
        timeout: Any = _TIMEOUT_S,
        kerberos: bool = False,
        kerb_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        if kerberos and user:
            raise ValueError(f"the ticket of Kerberos says who the user is: leave out user ({user!r}), or kerberos")
        if not (user or kerberos or options.get("token")):
            user = os.environ.get("HADOOP_USER_NAME") or getpass.getuser()
        self._namenodes = namenodes_of(
            scheme, host, port, namenodes or {}, use_https=bool(options.get("use_https", False))
        )
        self._timeout = tuple(timeout) if isinstance(timeout, list) else timeout
        self._scheme = "https" if options.get("use_https") else "http"
        # fsspec's own Kerberos needs another library, which is compiled as well.
        self._authentication = _spnego(kerb_kwargs or {}) if kerberos else None
        super().__init__(host, port or 0, user=user, **options)
        # What is compressed on its way has another length than is announced.
        self.session.headers["Accept-Encoding"] = "identity"

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        # Question marks and number signs are parts of names.
        _, separator, rest = path.partition("://")
        return (f"/{rest.partition('/')[2]}" if separator else path).rstrip("/") or "/"

    @staticmethod
    def _get_kwargs_from_urls(urlpath: str) -> dict[str, Any]:
        location = urlsplit(urlpath)
        host = location.netloc.rpartition("@")[2].partition(":")[0]
        found = {"scheme": location.scheme, "host": host, "port": location.port, "user": location.username}
        return {name: value for name, value in found.items() if value}

    # -- files ---------------------------------------------------------------------------------------------------------

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        return _entry(self._call("GETFILESTATUS", path=path).json()["FileStatus"], self._strip_protocol(path))

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        found = self._call("LISTSTATUS", path=path).json()["FileStatuses"]["FileStatus"]
        # A file is listed as itself, without a name.
        entries = [_entry(one, f"{self._strip_protocol(path)}/{one['pathSuffix']}".rstrip("/")) for one in found]
        entries.sort(key=lambda entry: str(entry["name"]))
        return entries if detail else [entry["name"] for entry in entries]

    def modified(self, path: str) -> datetime:
        found = self.info(path)["mtime"]
        assert isinstance(found, datetime)
        return found

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **_: Any) -> bytes:
        part: dict[str, Any] = {} if end is None else {"length": end - (start or 0)}
        return bytes(self._call("OPEN", path=path, offset=start or 0, **part).content)

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **_: Any) -> None:
        self._put(path, value, is_new=mode == "create")

    def put_file(self, lpath: str, rpath: str, *_: Any, mode: str = "overwrite", **__: Any) -> None:
        with Path(lpath).open("rb") as content:
            self._put(rpath, content, is_new=mode == "create")

    def mv(self, path1: str, path2: str, **_: Any) -> None:
        """
        Raises:
            FileExistsError: there is something of the new name.
            FileNotFoundError: there is nothing of the old one.
        """
        self._rename(path1, path2, "NONE")

    def _open(self, path: str, mode: str = "rb", block_size: Any = None, **_: Any) -> _Reader:
        if mode != "rb":
            raise NotImplementedError(f"files of HDFS are written whole, not opened with mode {mode!r}")
        return _Reader(self, path, mode=mode, block_size=block_size or self.blocksize, tempdir="", autocommit=True)

    def _put(self, path: str, content: Any, *, is_new: bool) -> None:
        """Write a file under another name and rename it, since what is being written is there for everyone to read."""
        path = self._strip_protocol(path)
        directory, _, name = path.rpartition("/")
        # Writers are on several machines, whose processes may have one number.
        part = f"{directory}/.{name}.{uuid.uuid4().hex}.part"
        try:
            self._call("CREATE", "put", part, content, overwrite="true")
            try:
                self._rename(part, path, "NONE" if is_new else "OVERWRITE")
            except ConnectionError:
                # Only this rename can have taken it away.
                if self._is_there(part):
                    raise
        except BaseException:
            with suppress(Exception):
                self.rm_file(part)
            raise

    def _rename(self, old: str, new: str, option: str) -> None:
        answer = self._call("RENAME", "put", old, destination=self._strip_protocol(new), renameoptions=option)
        # HttpFS has no such option, never replaces, and answers whether it renamed.
        if answer.content and answer.json().get("boolean") is False:
            if not self._is_there(new):
                raise FileNotFoundError(old)
            if option != "NONE":
                raise HdfsError(f"an HttpFS gateway cannot replace {new}: choose another name, or delete it first")
            raise FileExistsError(new)

    def _is_there(self, path: str) -> bool:
        try:
            self.info(path)
        except FileNotFoundError:
            return False
        return True

    # -- requests ------------------------------------------------------------------------------------------------------

    def _call(self, op: str, method: str = "get", path: str | None = None, data: Any = None, **parameters: Any) -> Any:
        """The answer to an operation of WebHDFS, of the DataNode where a NameNode leaves it to one.

        Raises:
            FileNotFoundError, FileExistsError, PermissionError: as the NameNode says.
            ConnectionError: nobody answers; what was to be changed may have been.
            HdfsError: it failed otherwise.
        """
        path = quote(self._strip_protocol(path) if path else "/", safe="/=")
        parameters = {**parameters, **self.pars, "op": op.upper()}
        waits = iter(_WAITS_S)
        while True:
            failed: list[OSError] = []
            for address in self._namenodes:
                try:
                    answer = self._ask_through(address, method, path, parameters, data)
                # A standby sends a writer on to a DataNode, which is told then.
                except (_NeverAskedError, _StandbyError) as e:  # noqa: PERF203 - each may be the active one
                    failed.append(e)
                except _BrokenOffError as e:
                    # A file that is created has no name of its own yet.
                    if method != "get" and op != "CREATE":
                        raise
                    failed.append(e)
                else:
                    # The active one is asked first from now on.
                    self._namenodes = sorted(self._namenodes, key=address.__ne__)
                    return answer
            wait = next(waits, None)
            # A single one takes over from nobody.
            if wait is None or len(failed) == 1 or not any(isinstance(one, _StandbyError) for one in failed):
                raise _together(failed)
            time.sleep(wait)

    def _ask_through(self, address: str, method: str, path: str, parameters: Mapping[str, Any], data: Any) -> Any:
        """The answer of one NameNode, or of a DataNode that it leaves the operation to."""
        url = str(self._apply_proxy(f"{self._scheme}://{address}/webhdfs/v1{path}"))
        gone: list[str] = []
        while True:
            excluded = {"excludedatanodes": ",".join(gone)} if gone else {}
            answer = self._ask(method, url, {**parameters, **excluded})
            if not answer.is_redirect:
                return answer
            _check_redirect(answer, f"/webhdfs/v1{path}", parameters["op"])
            target = str(self._apply_proxy(answer.headers["Location"]))
            if hasattr(data, "seek"):
                data.seek(0)
            try:
                return self._ask(method, target, data=data)
            except _StandbyError:
                raise _StandbyError(f"{address} is a standby NameNode", _OUT_OF_SERVICE) from None
            except ConnectionError as e:
                # Both reads and files that have no name yet can be repeated elsewhere.
                gone.append(_ip(str(urlsplit(target).hostname)))
                if len(gone) == _DATANODES_ASKED:
                    raise ConnectionError(f"{e}; DataNodes that were asked: {len(gone)}") from None

    def _ask(self, method: str, url: str, parameters: Mapping[str, Any] | None = None, data: Any = None) -> Any:
        host = urlsplit(url).netloc
        try:
            answer = self.session.request(
                method.upper(),
                url,
                params=parameters,
                data=data,
                headers={"Content-Type": "application/octet-stream"},
                allow_redirects=False,
                timeout=self._timeout,
                auth=self._authentication and self._authentication(),
                # That of a session gives way to REQUESTS_CA_BUNDLE.
                verify=self.session_verify,
            )
        # The texts of requests have the URL, and that the user's token.
        except requests.exceptions.ChunkedEncodingError:
            raise HdfsError(f"the answer of {host} ended too early", error_code="IncompleteBody") from None
        except requests.exceptions.SSLError as e:
            said = str(getattr(e.args[0], "reason", "")).partition(" (_ssl")[0].rpartition("] ")[2]
            if not said.startswith("certificate verify failed"):
                raise _BrokenOffError(f"{host} broke off (TLS: {said})") from None
            raise _NeverAskedError(
                f"the certificate of {host} is not trusted ({said}): set storage_options.session_verify to its CA file"
            ) from None
        except requests.exceptions.ConnectionError as e:
            reason = getattr(e.args[0] if e.args else None, "reason", None)
            if isinstance(e, requests.exceptions.ConnectTimeout) or isinstance(reason, NewConnectionError):
                raise _NeverAskedError(f"{host} cannot be reached ({_short(reason or e)})") from None
            raise _BrokenOffError(f"{host} broke off ({_short(reason or e)})") from None
        except requests.exceptions.Timeout:
            raise _BrokenOffError(f"{host} did not answer in time") from None
        _check_answer(host, answer)
        return answer


class _Reader(WebHDFile):  # type: ignore[misc]
    """A file that is read piece by piece."""

    def _fetch_range(self, start: int, end: int) -> bytes:
        start, end = max(start, 0), min(end, self.size)
        return b"" if start >= end else bytes(self.fs.cat_file(self.path, start, end))


class _StandbyError(HdfsError):
    """The NameNode that was asked is not the active one."""


def _spnego(options: Mapping[str, Any]) -> Callable[[], Any]:
    """What makes the authentication of a request; each needs its own.

    Raises:
        ImportError: a package is missing.
    """
    try:
        from hive_views.storage.spnego import Spnego  # noqa: PLC0415 - an extra
    except ImportError as e:
        raise ImportError(
            f'{e}. pip install "hive_views[webhdfs,kerberos]", which compiles gssapi on Linux, with a C compiler and '
            f"the headers of Kerberos (Debian: libkrb5-dev, Red Hat: krb5-devel)"
        ) from e
    return partial(Spnego, **options)


def _entry(status: Mapping[str, Any], name: str) -> dict[str, Any]:
    modified = datetime.fromtimestamp(status["modificationTime"] / 1000, timezone.utc)
    return {**status, "name": name, "type": status["type"].lower(), "size": status["length"], "mtime": modified}


def _check_redirect(answer: Any, path: str, op: str) -> None:
    """A NameNode may send its client to any host, but for this operation on this file only."""
    target = urlsplit(answer.headers["Location"])
    if (unquote(target.path), parse_qs(target.query).get("op")) != (unquote(path), [op]):
        raise HdfsError(f"{urlsplit(answer.url).netloc} redirects to {target.netloc}, which is not WebHDFS")


def _check_answer(host: str, answer: Any) -> None:
    """
    Raises:
        OSError: it is a refusal.
    """
    if answer.status_code < 400:
        return
    try:
        said = answer.json()["RemoteException"]
        # A DataNode adds where in its program it was.
        kind, text = str(said["exception"]), " ".join(str(said["message"]).partition("\n\tat ")[0].split())
    except (ValueError, KeyError, TypeError):
        raise _foreign(host, answer) from None
    if kind == "StandbyException":
        raise _StandbyError(f"{host} is a standby NameNode", _OUT_OF_SERVICE)
    if "SafeMode" in kind or "SafeMode" in text:
        # It may be a DataNode that says so.
        raise HdfsError(f"the NameNode is in safe mode, and changes nothing: {text}", _OUT_OF_SERVICE)
    if kind == "RetriableException":
        raise _StandbyError(f"the NameNode {host} is not ready: {text}", _OUT_OF_SERVICE)
    # A NameNode that wants Kerberos calls it a SecurityException.
    if kind == "InvalidToken" or "$InvalidToken: " in text:
        raise HdfsError(f"{host} rejected the token: {text.rpartition('$InvalidToken: ')[2]}", 401)
    if kind in _KINDS:
        raise _KINDS[kind](text)
    # It is 403 for most of them.
    raise HdfsError(f"{kind}: {text}", answer.status_code if answer.status_code >= 500 else None)


def _foreign(host: str, answer: Any) -> HdfsError:
    """The error for an answer that neither NameNode nor DataNode gives; a 404 of theirs says nothing of a file."""
    status, text = answer.status_code, " ".join(answer.text.split())[:200]
    if status in (401, 403, 407):
        said, given = f"(HTTP {status} {answer.reason})", answer.request.headers.get("Authorization", "")
        if given.startswith("Negotiate"):
            return HdfsError(f"{host} rejected the Kerberos ticket {said}. {_ON_REJECTED_TICKET}", 401)
        if not given and "Negotiate" in answer.headers.get("WWW-Authenticate", ""):
            return HdfsError(f"{host} asks for Kerberos {said}. {_HOW_WITH_KERBEROS}", 401)
        return HdfsError(f"{host} {'rejected the password' if given else 'asks for authentication'} {said}", 401)
    if status >= 500:
        return HdfsError(f"{host} is out of service (HTTP {status} {answer.reason})", status)
    return HdfsError(f"there is no WebHDFS at {host} (HTTP {status}): {text}")


def _together(failed: list[OSError]) -> OSError:
    text = "; ".join(map(str, failed))
    if all(isinstance(one, ConnectionError) for one in failed):
        return ConnectionError(f"{text}. {_WHERE}")
    return HdfsError(f"{text}. {_WHERE}", _OUT_OF_SERVICE)


def _short(error: object) -> str:
    return str(error).rpartition(": ")[2]


def _ip(host: str) -> str:
    """What a NameNode knows a DataNode by."""
    try:
        return socket.gethostbyname(host)
    except OSError:
        return host
