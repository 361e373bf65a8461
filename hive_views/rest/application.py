"""The server as an ASGI application: how a request is handled, from the token to the response and the log."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
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

from hive_views.errors import Answer, HiveViewsError, PermissionDeniedError
from hive_views.messages.legible import legible
from hive_views.messages.logs import logger_of
from hive_views.rest.access import Access, Caller
from hive_views.rest.api import SEPARATOR, ApiRequest, ApiResponse
from hive_views.rest.request_errors import RequestError, bad_request, failure_of
from hive_views.rest.request_limits import Limits, check_framing, read_json
from hive_views.rest.request_log import UNSERVED, RequestLog, RequestRecord
from hive_views.rest.routes import ENDPOINTS, ROUTES, Route
from hive_views.rest.served import ServedCatalogs
from hive_views.spec.schema import SpecModel

log = logger_of(__name__)

Endpoint = Callable[[Request], Awaitable[Response]]
Handler = Callable[[Request, RequestRecord], Awaitable[Response]]

KEY_LIFETIME = "PT24H"
"""How long at least the outcome of a request with a key is known (ISO 8601)."""

_LONGEST_KEY = 256
_UNSERVED = {404: "NotFoundException", 405: "UnsupportedOperationException"}


def create_app(
    served: ServedCatalogs, *, access: Access | None = None, limits: Limits | None = None, threads: int = 40
) -> Starlette:
    """The application; closing it closes the catalogs.

    Args:
        served: the catalogs.
        access: who may do what; by default everybody may do everything.
        limits: of requests.
        threads: how many reads, and how many writes, are handled concurrently; others wait.
    """
    server = _Server(served, access or Access({}), limits or Limits(), threads)
    routes = [PathRoute("/v1/config", server.endpoint("/config", server.config), methods=["GET"])]
    for route in ROUTES:
        path = route.path.replace("{namespace}/", "{namespace:levels}/")
        endpoint = server.endpoint(route.path, partial(server.respond, route))
        routes += [_ExactRoute(f"/v1{prefix}{path}", endpoint, methods=[route.method]) for prefix in ("", "/{prefix}")]
    routes.append(PathRoute("/v1/oauth/tokens", server.endpoint("/oauth/tokens", server.oauth), methods=["POST"]))
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
    """A namespace in a path, which may be empty: Spark asks for ``namespaces//tables/t`` to find ``t.files``."""

    regex = "[^/]*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("levels", _Levels())


class _ExactRoute(PathRoute):
    """A route of one method, and of the parts that a client has separated by slashes.

    Starlette routes HEAD as GET, and takes ``a%2Fviews`` for two parts.
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
        # Apart, so that readers do not wait for writers, some of which wait for the lock of a view.
        self._limiter_of = {writes: CapacityLimiter(threads) for writes in (False, True)}
        self._log = RequestLog()

    def endpoint(self, path: str, handler: Handler) -> Endpoint:
        """A handler whose requests are logged under this path, and whose errors are responses."""

        async def endpoint(request: Request) -> Response:
            return await self._recorded(request, f"/v1{path}", handler)

        return endpoint

    async def config(self, request: Request, record: RequestRecord) -> Response:
        """What clients ask first: the prefix of the catalog, and the routes that there are."""
        self._authenticated(request, record)
        served = self._served.of(request.query_params.get("warehouse"))
        record.prefix = served.prefix
        document = {
            "defaults": {},
            "overrides": {"prefix": served.prefix},
            "endpoints": ENDPOINTS,
            "idempotency-key-lifetime": KEY_LIFETIME,
        }
        return _response(ApiResponse(document), request.method)

    async def oauth(self, request: Request, _: RequestRecord) -> Response:
        """This server issues no tokens."""
        message = "This server issues no tokens. Set `token` in the client, not `credential`."
        document = {"error": "unsupported_grant_type", "error_description": message}
        return _response(ApiResponse(document, status=400), request.method)

    async def health(self, _: Request) -> Response:
        """That the process responds; that the metastore is unavailable is no reason to restart it."""
        return JSONResponse({"status": "ok"})

    async def metrics(self, request: Request) -> Response:
        """The metrics for Prometheus, for every token."""
        try:
            self._access.caller(request.headers.get("authorization"))
        except RequestError as failure:
            return _failed(failure, request)
        return Response(self._log.metrics(), media_type=self._log.content_type)

    async def unserved(self, request: Request, error: Exception) -> Response:
        """There is no such route, or none with this method."""
        assert isinstance(error, HTTPException)
        status = error.status_code

        async def refuse(request: Request, record: RequestRecord) -> Response:
            self._authenticated(request, record)
            message = f"There is no route {request.method} {legible(request.url.path)}."
            raise RequestError(status, _UNSERVED.get(status, "BadRequestException"), message)

        return await self._recorded(request, UNSERVED, refuse)

    async def respond(self, route: Route, request: Request, record: RequestRecord) -> Response:
        """The response of a route."""
        caller = self._authenticated(request, record)
        caller.check_may(write=route.writes)
        served = self._served.of(request.path_params.get("prefix"))
        about = _about(request.path_params)
        record.prefix, record.about = served.prefix, about
        body = await read_json(request, self._limits) if request.method == "POST" else None
        record.about = _about(request.path_params, body)
        key = request.headers.get("idempotency-key")
        if key is not None and not 0 < len(key) <= _LONGEST_KEY:
            raise bad_request(f"An Idempotency-Key has 1 to {_LONGEST_KEY} characters.")
        asked = ApiRequest(served, request.path_params, request.query_params, body, caller.own_key(key), caller.owner)
        run = partial(self._run, route, asked, about, caller.proxy_user)
        return await to_thread.run_sync(run, limiter=self._limiter_of[route.writes])

    def _run(self, route: Route, request: ApiRequest, about: str, user: str | None) -> Response:
        try:
            with self._served.acting_for(user, request.served) as served:
                response = route.respond(replace(request, served=served))
        except HiveViewsError as error:
            if isinstance(error, PermissionDeniedError) and error.answer is Answer.NOT_SENT:
                # Not what the user wants is denied, but that the server asks for the user: clients cannot mend it.
                log.warning("cannot act for %s: %s", user, error)
            namespace = request.path.get("namespace", "").replace(SEPARATOR, ".")
            raise failure_of(error, writes=route.writes, about=about, namespace=namespace) from error
        # Here, in a thread: a large document would keep all other requests waiting.
        return _response(response, route.method)

    def _authenticated(self, request: Request, record: RequestRecord) -> Caller:
        caller = self._access.caller(request.headers.get("authorization"))
        record.caller, record.proxy_user = caller.name, caller.proxy_user
        return caller

    async def _recorded(self, request: Request, route: str, handler: Handler) -> Response:
        started = time.monotonic()
        record = RequestRecord(request.method, route, request.client.host if request.client else "-")
        try:
            check_framing(request)
            response = await handler(request, record)
        except RequestError as failure:
            record.verdict = failure.type
            response = _failed(failure, request)
        except Exception:
            log.exception("%s %s failed", request.method, legible(request.url.path))
            record.verdict = "InternalServerError"
            message = "Unexpected error; see the log of the server for details."
            response = _failed(RequestError(500, record.verdict, message), request)
        record.status = response.status_code
        self._log.add(record, time.monotonic() - started)
        return response


def _about(path: Mapping[str, str], body: object = None) -> str:
    """What the path names, and the body of a request that creates something."""
    name = body.get("name") if isinstance(body, dict) else None
    parts = [*(path.get(part) for part in ("namespace", "view", "table")), name if isinstance(name, str) else None]
    return legible(".".join(part for part in parts if part)) or "-"


def _failed(failure: RequestError, request: Request) -> Response:
    headers = {"Connection": "close"} if failure.closes else {}
    if failure.status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    return _response(ApiResponse(failure.document(), failure.status, headers), request.method)


def _response(response: ApiResponse, method: str) -> Response:
    status, headers, document = response.status, dict(response.headers), response.document
    if document is None or method == "HEAD":
        return Response(status_code=status, headers=headers)
    if isinstance(document, SpecModel):
        with suppress(ValueError):
            content = document.model_dump_json()
            return Response(content, status_code=status, headers=headers, media_type="application/json")
        document = document.model_dump(mode="json")
    return _Json(document, status_code=status, headers=headers)


class _Json(JSONResponse):
    def render(self, content: Any) -> bytes:
        # Half of a surrogate pair, which the file of another engine can hold, can only be sent as an escape.
        return json.dumps(content, separators=(",", ":"), allow_nan=False).encode("ascii")
