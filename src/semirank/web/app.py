"""The application: routes behind the gate, errors in words, the page itself."""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware

from semirank.web.project import ProjectError
from semirank.web.routes import ROUTERS
from semirank.web.safety import Access, Gate, policy_for, problem
from semirank.web.shapes import Problem
from semirank.web.shelf import Shelf

STATIC = Path(__file__).with_name("static")
_IMPORT_MAP = re.compile(r'<script type="importmap"[^>]*>(.*?)</script>', re.DOTALL)
_ERRORS: dict[int | str, dict[str, Any]] = {"4XX": {"model": Problem}}


def make_app(shelf: Shelf, access: Access, first: Mapping[str, str | None] | None = None) -> FastAPI:
    """Return the application.

    Parameters
    ----------
    shelf : Shelf
        The projects; closed when the application ends.
    access : Access
        Who may come in.
    first : mapping
        The project ("open") or import ("import") that is shown first.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        shelf.close()

    app = FastAPI(
        title="semirank",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        responses=_ERRORS,
    )
    app.state.shelf, app.state.access, app.state.first = shelf, access, dict(first or {})
    for router in ROUTERS:
        app.include_router(router)
    _handle_errors(app)
    if (STATIC / "index.html").is_file():
        app.mount("/", StaticFiles(directory=STATIC, html=True), name="static")
    app.add_middleware(Gate, access=access, policy=policy_for(_import_map()))
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(access.hosts), www_redirect=False)
    return app


def _import_map() -> str | None:
    index = STATIC / "index.html"
    found = _IMPORT_MAP.search(index.read_text(encoding="utf-8")) if index.is_file() else None
    return found.group(1) if found else None


def missing_parts() -> str | None:
    """Say what of the page is not there, and how to get it; None: all is there."""
    if (STATIC / "index.html").is_file() and (STATIC / "lib").is_dir():
        return None
    return (
        "The page of the app is not complete: this semirank was installed from sources without npm, which "
        "brings Preact and htm. Install npm and say `pip install --force-reinstall --no-deps .` in the "
        "sources, or install a wheel of semirank, which has them."
    )


def _handle_errors(app: FastAPI) -> None:
    """Say every error as {error, where, what_to_do}."""

    @app.exception_handler(StarletteHTTPException)
    async def of_http(request: Request, error: StarletteHTTPException) -> Response:
        detail = error.detail
        if isinstance(detail, dict):
            return problem(error.status_code, **detail)
        response = problem(error.status_code, str(detail), request.url.path)
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(RequestValidationError)
    async def of_shape(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return problem(422, str(first["msg"]), where, "Send what the API describes (/api/openapi.json).")

    @app.exception_handler(ProjectError)
    async def of_project(request: Request, error: ProjectError) -> Response:
        return problem(409, str(error), request.url.path, "Check the file, or open another project.")

    @app.exception_handler(OSError)
    async def of_disk(request: Request, error: OSError) -> Response:
        return problem(
            507, str(error), request.url.path, "Check that the disk is not full and can be written."
        )

    @app.exception_handler(Exception)
    async def of_ours(request: Request, error: Exception) -> Response:
        help = "Nothing was lost. Reload the page; if it happens again, report it with these words."
        return problem(500, f"{type(error).__name__}: {error}", request.url.path, help)
