"""What ranks, whether another would be better, and work in the background."""

from typing import Annotated, Any

from fastapi import APIRouter, Body

from semirank.web import shapes
from semirank.web.routes.asking import TheOwner, ThePerson, TheSession, TheView, refuse
from semirank.web.showing import order_info, shown_jobs

router = APIRouter(prefix="/api/p/{key}")


@router.get("/ranker")
def ranker(session: TheSession, view: TheView) -> shapes.RankerInfo:
    """Say what ranks, on what grounds, and what the last check has found."""
    info = order_info(view)
    with session.lock:
        checks = view.state.standing("check")
    value: dict[str, Any] = checks[-1].value if checks else {}
    return shapes.RankerInfo(
        ranker=info.ranker,
        basis=info.basis,
        basis_says=info.basis_says,
        verdict=value.get("verdict"),
        leaderboard=[shapes.RankerInfo.Row(**row) for row in value.get("leaderboard", ())],
        checked_at=value.get("n_labels"),
        offered=value.get("offered"),
    )


@router.post("/ranker/check")
def check(
    session: TheSession, person: TheOwner, body: Annotated[dict[str, Any] | None, Body()] = None
) -> shapes.Job:
    """Compare rankers on held-out labels, in the background."""
    return shapes.Job(**session.checks.start().to_dict())


@router.get("/jobs")
def jobs(session: TheSession, person: ThePerson) -> list[shapes.Job]:
    """List what runs in the background, and what did."""
    return shown_jobs(session, person)


@router.delete("/jobs/{name}")
def cancel(name: str, session: TheSession, person: TheOwner) -> list[shapes.Job]:
    """Cancel a job."""
    if not session.jobs.cancel(name):
        raise refuse(404, "There is no such job.", "job")
    return shown_jobs(session, person)
