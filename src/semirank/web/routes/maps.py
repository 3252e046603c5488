"""The map: where items stand, and what they look like there."""

import numpy as np
from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from semirank.web import shapes
from semirank.web.routes.asking import ThePerson, TheSession, TheView
from semirank.web.showing import shown_verdicts

router = APIRouter(prefix="/api/p/{key}")


@router.get(
    "/map",
    response_class=Response,
    responses={
        200: {"content": {"application/octet-stream": {}, "application/json": {}}},
        202: {"model": shapes.MapWaiting},
    },
)
def get_map(
    session: TheSession,
    view: TheView,
    person: ThePerson,
    points: bool = False,
) -> Response:
    """Return x and y of each row as 32-bit numbers; or, for points=1, verdicts and scores as JSON."""
    if points:
        scores = view.published.order.scores
        known = [float(each) if np.isfinite(each) else None for each in scores.tolist()]
        with session.lock:
            verdicts = shown_verdicts(view.state, person)
        return JSONResponse(shapes.MapPoints(verdicts=verdicts, scores=known).model_dump())
    n_items = session.state.n_items
    kind, layout = session.layouts.best(n_items)
    if kind != "tsne":
        job = session.layouts.start(n_items, lambda: session.vectors)
    if layout is None:
        return JSONResponse({"job": job.to_dict()}, 202)
    headers = {"x-semirank-layout": kind, "cache-control": "no-store"}
    return Response(layout.astype("<f4").tobytes(), media_type="application/octet-stream", headers=headers)
