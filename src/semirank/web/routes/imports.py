"""Files on their way to a project."""

from typing import Annotated

from fastapi import APIRouter, Query, Request

from semirank.web import shapes
from semirank.web.people import Person
from semirank.web.routes.asking import TheOwner, TheShelf, refuse
from semirank.web.uploads import MOST_BYTES, Upload, safe_name

router = APIRouter(prefix="/api/imports")


@router.put("")
async def put_import(
    request: Request,
    shelf: TheShelf,
    person: TheOwner,
    name: Annotated[str, Query(min_length=1, max_length=500)],
    into: Annotated[shapes.Key | None, Query()] = None,
    beside: Annotated[str | None, Query(max_length=100)] = None,
) -> shapes.Import:
    """Take a file; the body is the file itself. It may belong to one that came before it."""
    if into is not None and shelf.session(into) is None:
        raise refuse(404, f"There is no project {into!r}.", "into")
    other = None if beside is None else _upload(shelf, beside)
    upload = Upload(shelf.uploads_folder, name[:200], into=into)
    upload.path = shelf.uploads_folder / f"{upload.id}-{safe_name(name)}"
    size = 0
    with upload.path.open("wb") as target:
        async for block in request.stream():
            size += len(block)
            if size > MOST_BYTES:
                target.close()
                upload.path.unlink()
                raise refuse(413, f"A file may have {MOST_BYTES:,} bytes.", "body", "Split the file.")
            target.write(block)
    if other is not None:
        shelf.join(upload, other)
    return shapes.Import(**shelf.put(upload).start().describe())


def _upload(shelf: TheShelf, name: str) -> Upload:
    upload = shelf.upload(name)
    if upload is None:
        raise refuse(404, "There is no such import.", "import", "Choose the file again.")
    return upload


def _told(shelf: TheShelf, upload: Upload, person: Person) -> shapes.Import:
    return shapes.Import(**{**upload.describe(), "adds": shelf.additions(upload, person)})


@router.get("/{name}")
def get_import(name: str, shelf: TheShelf, person: TheOwner) -> shapes.Import:
    """Say what was understood so far."""
    return _told(shelf, _upload(shelf, name), person)


@router.post("/{name}/roles")
def set_roles(name: str, roles: shapes.Roles, shelf: TheShelf, person: TheOwner) -> shapes.Import:
    """Say what was understood, with other parts for the columns."""
    upload = _upload(shelf, name)
    if unknown := set(roles.roles) - set(upload.roles):
        raise refuse(422, f"There is no column {sorted(unknown)[0]!r}.", "roles")
    upload.roles = {**upload.roles, **roles.roles}
    return _told(shelf, upload, person)
