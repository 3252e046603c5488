"""Who asks, which projects there are, and one of them."""

from importlib.metadata import version

from fastapi import APIRouter, Request

from semirank.web import shapes
from semirank.web.demos import DEMOS
from semirank.web.people import Person
from semirank.web.routes.asking import TheOwner, ThePerson, TheSession, TheShelf, TheView, refuse
from semirank.web.session import Session
from semirank.web.showing import counts, lists, order_info, shown_jobs
from semirank.web.uploads import UploadError
from semirank.web.views import View

router = APIRouter(prefix="/api")


@router.get("/session")
def session_info(request: Request, person: ThePerson, shelf: TheShelf) -> shapes.SessionInfo:
    """Say who asks, and what to show first."""
    first = request.app.state.first if person.role == "owner" else {}
    return shapes.SessionInfo(
        version=version("semirank"),
        reviewer=person.name,
        role=person.role,
        users=shelf.users,
        open=person.project or first.get("open"),
        **{"import": first.get("import")},
    )


@router.get("/projects")
def list_projects(shelf: TheShelf, person: ThePerson) -> shapes.Projects:
    """List what can be opened."""
    recent = [each for each in shelf.recent() if person.project in (None, each["key"])]
    demos = [shapes.DemoInfo(name=name, title=demo.title, about=demo.about) for name, demo in DEMOS.items()]
    return shapes.Projects(
        recent=[shapes.RecentProject(**each) for each in recent],
        demos=demos if person.project is None else [],
    )


@router.post("/projects")
def new_project(
    new: shapes.NewProject, request: Request, shelf: TheShelf, person: TheOwner
) -> shapes.ProjectInfo:
    """Make a project of a demo or an import, and open it."""
    if new.demo is not None:
        if new.demo not in DEMOS:
            raise refuse(404, f"There is no demo {new.demo!r}.", "demo", f"Choose {', '.join(DEMOS)}.")
        session = shelf.demo(new.demo)
    else:
        session = _imported(new, shelf, person)
        if request.app.state.first.get("import") == new.import_:  # of the command line; it is done
            request.app.state.first = {"open": session.key}
    return project_info(session, session.view_of(person), person)


def _imported(new: shapes.NewProject, shelf: TheShelf, person: Person) -> Session:
    upload = shelf.upload(new.import_ or "")
    if upload is None:
        raise refuse(404, "There is no such import.", "import", "Choose the file again.")
    if upload.state != "ready":
        raise refuse(409, f"The import is {upload.state}.", "import", "Wait until it is ready.")
    roles = {**upload.roles, **(new.roles or {})}
    if unknown := set(roles) - set(upload.roles):
        raise refuse(422, f"There is no column {sorted(unknown)[0]!r}.", "roles")
    try:
        if upload.into is not None:
            session = _known(shelf, upload.into)
            shelf.add_to(session, upload, roles, person)
            shelf.forget(upload)
            return session
        session = shelf.import_(
            upload,
            roles,
            name=new.name,
            scale=None if new.scale is None else new.scale.model_dump(),
            target=None if new.target is None else new.target.model_dump(),
        )
        shelf.forget(upload)
        if new.group_near:
            session.group_near()
    except (UploadError, ValueError) as error:
        raise refuse(422, str(error), "import", "Choose other columns.") from error
    return session


def _known(shelf: TheShelf, key: str) -> Session:
    session = shelf.session(key)
    if session is None:
        raise refuse(404, f"There is no project {key!r}.", "into")
    return session


@router.get("/p/{key}")
def project(session: TheSession, view: TheView, person: ThePerson) -> shapes.ProjectInfo:
    """Say all that a page of work needs at its beginning."""
    return project_info(session, view, person)


def project_info(session: Session, view: View, person: Person) -> shapes.ProjectInfo:
    """Return what is told of a project."""
    with session.lock:
        state = view.state
        target = state.last("target")
        return shapes.ProjectInfo(
            key=session.key,
            name=session.name,
            kind=session.kind,  # type: ignore[arg-type]
            n_items=state.n_items,
            lists=lists(state),
            scale=shapes.Scale(**session.scale),
            target=shapes.Target() if target is None else shapes.Target(**target.value),
            tags=session.tags(state),
            counts=counts(state, person),
            order=order_info(view),
            questions=[
                shapes.QuestionInfo(event=each.id, text=each.value, qid=each.qid or "")
                for each in state.standing("seed")
            ],
            last_seq=session.last_seq,
            stop=_stop(view),
            audit=state.audit is not None,
            reviewer=person.name,
            role=person.role,
            users=session.users,
            blind=session.is_blind(person),
            read_only=session.project.read_only or person.role == "reader",
            jobs=shown_jobs(session, person),
        )


def _stop(view: View) -> shapes.StopInfo | None:
    event = view.state.last("stop")
    if event is None:
        return None
    return shapes.StopInfo(event=event.id, time=event.time, reviewer=event.reviewer, value=event.value or {})
