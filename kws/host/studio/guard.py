# SPDX-License-Identifier: Apache-2.0
"""Lets only this user's own page talk to the server of `kws studio`.

A request has to name this machine as its host (others could be DNS rebinding) and carry the token,
which the page's address hands over once and a cookie keeps. A request that changes something has to
come from this server's own page. Other users of this machine do not know the token.
"""

from __future__ import annotations

import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.responses import (
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN = "token"  # noqa: S105 - the name of the parameter

_NAMES = {"localhost", "127.0.0.1", "::1"}
_SAFE = {"GET", "HEAD"}

PAGE_POLICY = (
    "default-src 'self'; img-src 'self' data:; media-src 'self' data:; "
    "script-src 'self' data:; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'none'; object-src 'none'"
)
"""For the page. Its microphone's worklet and the sounds of a report are in `data:` URLs."""

_HEADERS = {
    "Content-Security-Policy": PAGE_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


class Guard:
    """ASGI middleware."""

    def __init__(
        self, app: ASGIApp, port: int, token: str, address: str = "", scheme: str = "http"
    ) -> None:
        """Guard an application.

        Args:
            app: the application.
            port: the port of its server.
            token: what a page has to know.
            address: the server's address in a network; empty: only this machine reaches it.
            scheme: http or https.
        """
        self._app = app
        self._port = port
        self._token = token
        self._names = {address} if address else _NAMES
        self._scheme = scheme
        self._cookie = f"kws-studio-{port}"  # browsers share cookies between ports

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer refused requests; pass the others on."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        app = self._refusal(scope) or self._app

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message["headers"]}
                message["headers"] = list(message["headers"]) + [
                    (name.lower().encode(), value.encode())
                    for name, value in _HEADERS.items()
                    if name.lower().encode() not in present
                ]
            await send(message)

        await app(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to a request that is refused or redirected; None to pass it on."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_own(hosts[0]):
            return _refused("wrong Host header")
        given = parse_qs(scope["query_string"].decode("latin-1")).get(TOKEN, [""])[0]
        if scope["path"] == "/" and scope["method"] == "GET" and self._is_token(given):
            answer = RedirectResponse("/", 303)
            answer.set_cookie(
                self._cookie,
                self._token,
                httponly=True,
                samesite="strict",
                secure=self._scheme == "https",
            )
            return answer
        if not self._is_token(_cookie(headers.getlist("cookie"), self._cookie)):
            line = "open the address that kws studio shows"
            return _refused(line) if scope["path"] != "/" else PlainTextResponse(line, 403)
        if scope["method"] not in _SAFE:
            origins = headers.getlist("origin")
            if origins != [f"{self._scheme}://{hosts[0]}"]:
                return _refused("wrong Origin header")
        elif headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
            return _refused("requests from other sites are refused")
        return None

    def _is_own(self, host: str) -> bool:
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname, parts.port or 80
        except ValueError:
            return False
        return (
            name in self._names and port == self._port and parts.netloc == host and "@" not in host
        )

    def _is_token(self, text: str) -> bool:
        return secrets.compare_digest(text.encode(), self._token.encode())


def _cookie(headers: list[str], name: str) -> str:
    jar: SimpleCookie = SimpleCookie()
    for header in headers:
        try:
            jar.load(header)
        except CookieError:
            return ""
    return jar[name].value if name in jar else ""


def _refused(reason: str) -> Response:
    return JSONResponse({"error": reason}, 403)
