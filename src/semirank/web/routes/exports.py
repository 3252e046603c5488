"""Everything comes out again, always."""

import tempfile
from pathlib import Path
from typing import Any, Literal

from fastapi import APIRouter
from fastapi.responses import FileResponse, Response
from starlette.background import BackgroundTask

from semirank.web import shapes
from semirank.web.evidence import stop_value
from semirank.web.exports.files import FORMATS, export
from semirank.web.people import Person
from semirank.web.routes.asking import TheOwner, ThePerson, TheSession, TheView, refuse
from semirank.web.session import Session
from semirank.web.uploads import safe_name
from semirank.web.views import View

router = APIRouter(prefix="/api/p/{key}")
Format = Literal["csv", "spreadsheet", "xlsx", "parquet", "ris", "bib", "qrels", "run", "letor", "json"]


@router.get("/export/prisma")
def prisma(session: TheSession, view: TheView) -> shapes.Prisma:
    """Return the counts of a PRISMA flow diagram."""
    with view.ranking:
        state = view.fold()
        _, labels = state.reading()
        stop = state.last("stop")
        n_first = int(session.settings.get("n_items", state.n_items))
        added = [each.value for each in state.standing("import")]
        found = int((labels > 0).sum())
        unsure = int((labels != labels).sum())
        n_groups = len(set(state.groups.tolist()))
        sizes = [n_first, *(now - before for before, now in zip([n_first, *added], added, strict=False))]
    return shapes.Prisma(
        identified=state.n_items,
        duplicates_removed=state.n_items - n_groups,
        screened=len(labels),
        excluded=len(labels) - found - unsure,
        included=found,
        unsure=unsure,
        not_screened=n_groups - len(labels),
        imports=[{"n_items": size} for size in sizes],
        stopped=None if stop is None else stop.value,
    )


@router.get("/export/stop", response_class=Response)
def methods(session: TheSession, view: TheView, person: ThePerson) -> Response:
    """Return the sentence for a methods section: of the decision to stop, or as it would be now."""
    session.wait_for_order(person)
    with view.ranking:
        state = view.fold()
        stop = state.last("stop")
        value: dict[str, Any] = stop.value if stop is not None else stop_value(view, person.name, "")
    return Response(value["sentence"] + "\n", media_type="text/plain; charset=utf-8")


@router.get("/export/{format}", response_class=Response)
def export_items(
    format: Format,
    session: TheSession,
    view: TheView,
    person: ThePerson,
    items: Literal["all", "relevant", "unread", "read"] = "all",
    order: Literal["rank", "file"] = "rank",
) -> Response:
    """Return items as a file."""
    view = _whole_view(session, view, person)
    with view.ranking:
        view.rank()
        try:
            content = export(session, view, format, items, order)
        except ValueError as error:
            raise refuse(409, str(error), "format", "Choose another format.") from error
    ending, kind = FORMATS[format]
    return Response(content, media_type=kind, headers=_named(session, f"{items}.{ending}"))


def _whole_view(session: Session, view: View, person: Person) -> View:
    """Return all verdicts for the owner, also of a blind reading; what they may see for others."""
    return session.shared if person.role == "owner" else view


def _named(session: Session, ending: str) -> dict[str, str]:
    name = safe_name(f"{session.name}-{ending}")
    return {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}


@router.get("/backup", response_class=FileResponse)
def backup(session: TheSession, person: TheOwner) -> FileResponse:
    """Return the whole project in one file."""
    folder = tempfile.TemporaryDirectory(prefix="semirank-")
    path = Path(folder.name) / "project.semirank"
    session.project.save_copy(path)
    return FileResponse(
        path,
        media_type="application/vnd.sqlite3",
        headers=_named(session, "backup.semirank"),
        background=BackgroundTask(folder.cleanup),
    )
