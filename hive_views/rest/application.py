"""The server as an ASGI application: what happens to a request."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match
from starlette.routing import Route as PathRoute
from starlette.types import Scope

from hive_views.errors import HiveViewsError
from hive_views.messages.legible import legible
from hive_views.messages.logs import logger_of
from hive_views.rest.access import Access, Caller, check_role
from hive_views.rest.call import SEPARATOR, Answer, Call
from hive_views.rest.request_errors import RequestError, failure_of
from hive_views.rest.request_limits import Limits, check_framing, read_json
from hive_views.rest.request_log import UNSERVED, RequestLog, RequestRecord
from hive_views.rest.routes import ENDPOINTS, ROUTES, Route
from hive_views.rest.served import Served, ServedCatalogs
from hive_views.spec.schema import SpecModel

log = logger_of(__name__)

Endpoint = Callable[[Request], Awaitable[Response]]

KEY_LIFETIME = "PT24H"
"""For how long the outcome of a request with a key is known at least (ISO 8601)."""

_LONGEST_KEY = 256
_UNSERVED = {404: "NotFoundException", 405: "UnsupportedOperationException"}


def create_app(
    served: ServedCatalogs, *, access: Access | None = None, limits: Limits | None = None, threads: int = 40
) -> Starlette:
    """The application; closing it closes the catalogs.

    Args:
        served: the catalogs.
        access: who may do what; by default everybody everything.
        limits: of requests.
        threads: how many reads, and how many writes, are handled concurrently; others wait.
    """
    server = _Server(served, access or Access({}), limits or Limits(), threads)
    routes = [PathRoute("/v1/config", server.config, methods=["GET"])]
    for route in ROUTES:
        path = route.path.replace("{namespace}/", "{namespace:levels}/")
        paths = (f"/v1{path}", f"/v1/{{prefix}}{path}")
        routes += [_ExactRoute(path, server.endpoint(route), methods=[route.method]) for path in paths]
    routes.append(PathRoute("/v1/oauth/tokens", server.oauth, methods=["POST"]))
    routes.append(PathRoute("/healthz", server.health, methods=["GET"]))
    routes.append(PathRoute("/metrics", server.metrics, methods=["GET"]))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        served.close()

    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={HTTPException: server.unserved})
    # It would send a client wherever the Host header of its request says.
    app.router.redirect_slashes = False
    return app


class _Levels(Convertor[str]):
    """A namespace in a path; Spark asks for a table in none, ``namespaces//tables/t``, to find ``t.files``."""

    regex = "[^/]*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("levels", _Levels())


class _ExactRoute(PathRoute):
    """A route of one method, and of the parts that a client has put slashes between.

    Starlette answers HEAD by whatever answers GET, and takes ``a%2Fviews`` for two parts.
    """

    def __init__(self, path: str, endpoint: Endpoint, *, methods: list[str]) -> None:
        super().__init__(path, endpoint, methods=methods)
        self.methods = set(methods)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if b"%2f" in scope.get("raw_path", b"").lower():
            return Match.NONE, {}
        return super().matches(scope)


class _Server:
    def __init__(self, served: ServedCatalogs, access: Access, limits: Limits, threads: int) -> None:
        self._served, self._access, self._limits = served, access, limits
        # Apart, so that nobody who reads waits for those who wait for the lock of a view.
        self._limiter_of = {writes: CapacityLimiter(threads) for writes in (False, True)}
        self._log = RequestLog()

    def endpoint(self, route: Route) -> Endpoint:
        """What answers a request of this route."""

        async def answer(request: Request) -> Response:
            return await self._recorded(request, route.path, lambda record: self._answer(request, route, record))

        return answer

    async def config(self, request: Request) -> Response:
        """What clients ask first: the prefix of the catalog, and the routes that there are."""
        return await self._recorded(request, "/config", lambda record: self._config(request, record))

    async def oauth(self, request: Request) -> Response:
        """This server issues no tokens."""

        async def refused(_: RequestRecord) -> Response:
            message = "This server issues no tokens. Set `token` in the client, not `credential`."
            answer = Answer({"error": "unsupported_grant_type", "error_description": message}, status=400)
            return _response(answer, request.method)

        return await self._recorded(request, "/oauth/tokens", refused)

    async def health(self, _: Request) -> Response:
        """That the process answers; that the metastore is unavailable is no reason to restart it."""
        return JSONResponse({"status": "ok"})

    async def metrics(self, request: Request) -> Response:
        """The metrics for Prometheus, for every token."""
        try:
            self._access.caller(request.headers.get("authorization"))
        except RequestError as failure:
            return _response(Answer(failure.document(), failure.status), request.method)
        return Response(self._log.metrics(), media_type=self._log.content_type)

    async def unserved(self, request: Request, error: Exception) -> Response:
        """There is no such route, or none with this method."""
        assert isinstance(error, HTTPException)
        status = error.status_code

        async def refused(record: RequestRecord) -> Response:
            record.caller = self._access.caller(request.headers.get("authorization")).name
            message = f"There is no route {request.method} {legible(request.url.path)}."
            raise RequestError(status, _UNSERVED.get(status, "BadRequestException"), message)

        return await self._recorded(request, None, refused)

    async def _recorded(
        self, request: Request, path: str | None, answer: Callable[[RequestRecord], Awaitable[Response]]
    ) -> Response:
        started = time.monotonic()
        route = UNSERVED if path is None else f"/v1{path}"
        record = RequestRecord(request.method, route, request.client.host if request.client else "-")
        try:
            check_framing(request)
            found = await answer(record)
        except RequestError as failure:
            record.verdict = failure.type
            headers = {"Connection": "close"} if failure.closes else {}
            found = _response(Answer(failure.document(), failure.status, headers), request.method)
        except Exception:
            log.exception("%s %s failed", request.method, legible(request.url.path))
            record.verdict = "InternalServerError"
            unexpected = RequestError(500, record.verdict, "Unexpected error; the log of the server has the details.")
            found = _response(Answer(unexpected.document(), unexpected.status), request.method)
        record.status = found.status_code
        self._log.add(record, time.monotonic() - started)
        return found

    async def _config(self, request: Request, record: RequestRecord) -> Response:
        record.caller = self._access.caller(request.headers.get("authorization")).name
        served = self._served.of(request.query_params.get("warehouse"))
        record.prefix = served.prefix
        document = {
            "defaults": {},
            "overrides": {"prefix": served.prefix},
            "endpoints": ENDPOINTS,
            "idempotency-key-lifetime": KEY_LIFETIME,
        }
        return _response(Answer(document), request.method)

    async def _answer(self, request: Request, route: Route, record: RequestRecord) -> Response:
        caller = self._access.caller(request.headers.get("authorization"))
        record.caller = caller.name
        check_role(caller, writes=route.writes)
        served = self._served.of(request.path_params.get("prefix"))
        about = _about(request.path_params)
        record.prefix, record.about = served.prefix, about
        content = await read_json(request, self._limits) if request.method == "POST" else None
        record.about = _about(request.path_params, content)
        call = _call(request, served, caller, content)
        return await to_thread.run_sync(_run, route, call, about, limiter=self._limiter_of[route.writes])


def _run(route: Route, call: Call, about: str) -> Response:
    try:
        answer = route.answer(call)
    except HiveViewsError as error:
        namespace = call.path.get("namespace", "").replace(SEPARATOR, ".")
        raise failure_of(error, writes=route.writes, about=about, namespace=namespace) from error
    # Here, in a thread: a large document would keep all other requests waiting.
    return _response(answer, route.method)


def _call(request: Request, served: Served, caller: Caller, content: object) -> Call:
    key = request.headers.get("idempotency-key")
    if key is not None and not 0 < len(key) <= _LONGEST_KEY:
        raise RequestError(400, "BadRequestException", f"An Idempotency-Key has 1 to {_LONGEST_KEY} characters.")
    return Call(served, request.path_params, request.query_params, content, key, caller.owner)


def _about(path: Mapping[str, str], content: object = None) -> str:
    """What the path names, and the body of a request that makes something."""
    name = content.get("name") if isinstance(content, dict) else None
    parts = [*(path.get(part) for part in ("namespace", "view", "table")), name if isinstance(name, str) else None]
    return legible(".".join(part for part in parts if part)) or "-"


def _response(answer: Answer, method: str) -> Response:
    headers = dict(answer.headers)
    if answer.status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    if answer.document is None or method == "HEAD":
        return Response(status_code=answer.status, headers=headers)
    if isinstance(answer.document, SpecModel):
        with suppress(ValueError):
            content = answer.document.model_dump_json()
            return Response(content, status_code=answer.status, headers=headers, media_type="application/json")
        return _Json(answer.document.model_dump(mode="json"), status_code=answer.status, headers=headers)
    return _Json(answer.document, status_code=answer.status, headers=headers)


class _Json(JSONResponse):
    def render(self, content: Any) -> bytes:
        # Half of a surrogate pair, which a file of others can hold, can be sent as an escape and no otherwise.
        return json.dumps(content, separators=(",", ":"), allow_nan=False).encode("ascii")
