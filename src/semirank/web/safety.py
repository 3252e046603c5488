"""Nothing reaches the app but its owner's browser, and those whom the owner has invited."""

import secrets
import time
from base64 import b64encode
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from semirank.web.people import Person

MARK = "x-semirank"  # a header that no form and no plain link can send
SAFE = ("GET", "HEAD")
BODIES = ("application/json", "application/octet-stream")
OURS = ("same-origin", "none")
MOST_FAILURES, WHILE = 10, 60.0  # wrong tokens in so many seconds
ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


@dataclass
class Access:
    """Who may come in.

    Parameters
    ----------
    port : int
        Names the cookie, because cookies cross ports.
    hosts : sequence of str
        The names by which browsers may call this server, without the port.
    invited : callable, optional
        From the secret of an invitation to the person, or None.
    secure : bool
        Whether browsers speak HTTPS to it.
    """

    port: int
    hosts: Sequence[str] = ("127.0.0.1", "localhost", "[::1]")
    invited: Callable[[str], Person | None] = lambda secret: None
    secure: bool = False
    token: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    _cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    _failures: deque[float] = field(default_factory=deque)

    @property
    def cookie_name(self) -> str:
        """The name of the cookie."""
        return f"semirank_{self.port}"

    def exchange(self, token: str) -> str | None:
        """Return the cookie that a token is worth; None: it is worth nothing."""
        if _equal(token, self.token):
            return self._cookie
        return token if self.invited(token) is not None else None

    def person(self, cookie: str) -> Person | None:
        """Return who has this cookie."""
        return Person() if _equal(cookie, self._cookie) else self.invited(cookie)

    def may_try(self) -> bool:
        """Tell whether another token may be tried now."""
        now = time.monotonic()
        while self._failures and self._failures[0] < now - WHILE:
            self._failures.popleft()
        return len(self._failures) < MOST_FAILURES

    def note_failure(self) -> None:
        """Remember that a wrong token was tried."""
        self._failures.append(time.monotonic())


def _equal(a: str, b: str) -> bool:
    return secrets.compare_digest(a.encode(), b.encode())


class Gate:
    """The one door: token for cookie, cookie for a person, and no writing but from a page of ours.

    Parameters
    ----------
    app : ASGI application
        What is behind it.
    access : Access
        Who may come in.
    policy : str
        The content security policy of every answer.
    """

    def __init__(self, app: ASGIApp, access: Access, policy: str) -> None:
        self.app = app
        self.access = access
        self.headers = {**ALWAYS, "content-security-policy": policy}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or answer it."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
            await send(message)

        request = Request(scope)
        answer = self._answer(request)
        await (self.app if answer is None else answer)(scope, receive, send_with_headers)

    def _answer(self, request: Request) -> Response | None:
        """Return what is answered instead; None: the request may pass."""
        refusal = self._foreign(request)
        if refusal:
            return problem(403, refusal, request.url.path, "Open the app from the link in the terminal.")
        if "token" in request.query_params and request.method in SAFE:
            return self._exchange(request)
        person = self.access.person(request.cookies.get(self.access.cookie_name, ""))
        if person is None:
            return _unknown(request)
        if request.method not in SAFE and (refusal := _not_asked(request)):
            return problem(403, refusal, request.url.path, "Use the app's own page.")
        request.scope["person"] = person
        return None

    def _foreign(self, request: Request) -> str | None:
        """Say why a request comes from somewhere else; None: it does not."""
        headers = request.headers
        if headers.get("sec-fetch-site", "none") not in OURS and not _is_visit(headers, request):
            return "The request was made by another site."
        origin = headers.get("origin")
        if origin is not None and origin not in self._origins(headers):
            return "The request was made by another site."
        return None

    def _origins(self, headers: Headers) -> tuple[str, ...]:
        host = headers.get("host", "")
        return (f"https://{host}",) if self.access.secure else (f"http://{host}",)

    def _exchange(self, request: Request) -> Response:
        if not self.access.may_try():
            return problem(429, "Too many wrong links.", "/", "Wait a minute, and try again.")
        cookie = self.access.exchange(request.query_params["token"])
        if cookie is None:
            self.access.note_failure()
            return _unknown(request)
        query = [each for each in parse_qsl(request.url.query) if each[0] != "token"]
        target = "/" + ("?" + urlencode(query) if query else "")
        response = RedirectResponse(target, 303, headers={"cache-control": "no-store"})
        response.set_cookie(
            self.access.cookie_name,
            cookie,
            httponly=True,
            samesite="strict",
            path="/",
            secure=self.access.secure,
        )
        return response


def _is_visit(headers: Headers, request: Request) -> bool:
    """Tell whether somebody follows a link to the page; without the cookie it says nothing."""
    return (
        request.method in SAFE
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
        and not request.url.path.startswith("/api")
    )


def _not_asked(request: Request) -> str | None:
    if request.headers.get(MARK) != "1":
        return "A request that writes needs the header X-Semirank: 1."
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if request.method in ("POST", "PUT", "PATCH") and kind not in BODIES:
        return f"A request that writes needs a Content-Type: {' or '.join(BODIES)}."
    return None


def _unknown(request: Request) -> Response:
    help = "Open the link that `semirank serve` has printed; it ends in ?token=..."
    if request.url.path.startswith("/api"):
        return problem(401, "The app does not know this browser.", request.url.path, help)
    text = escape(f"semirank does not know this browser. {help}")
    page = f'<!doctype html><html lang="en"><title>semirank</title><p>{text}</p></html>'
    return HTMLResponse(page, 401, headers={"cache-control": "no-store"})


def problem(status: int, error: str, where: str = "", what_to_do: str = "") -> JSONResponse:
    """Return an error as the API says it."""
    return JSONResponse({"error": error, "where": where, "what_to_do": what_to_do}, status)


def policy_for(import_map: str | None) -> str:
    """Return the content security policy of a page with this import map."""
    script = "'self'"
    if import_map is not None:
        script += f" 'sha256-{b64encode(sha256(import_map.encode()).digest()).decode()}'"
    return (
        f"default-src 'none'; script-src {script}; style-src 'self'; img-src 'self' blob:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'"
    )
