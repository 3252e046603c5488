"""Is another ranker better here? Held-out labels of the project say so."""

import secrets
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from semirank.feedback import Event, Items, default_ranker
from semirank.rankers._base import Ranker
from semirank.registry import ranker_class
from semirank.results.result import Result
from semirank.results.sentences import about_choice
from semirank.web import worker
from semirank.web.jobs import Job
from semirank.web.people import Person

if TYPE_CHECKING:
    from semirank.web.session import Session

FIRST_CHECK = 15  # relevant labels; the next check is at twice as many
LEAST_IRRELEVANT = 5  # with fewer, nothing can be held out
SECONDS = 60.0
PAUSE = 5.0  # seconds without an event, in which another ranker may take over
IN_USE = "in use"
OTHERS = {
    "texts": ("text-ranker",),
    "vectors": ("logistic-ranker", "rankrls-cv", "manifold-ranking-cv", "distance-ranking"),
    "lists": ("rankrls-cv", "rank-svm", "forest-ranker"),
}


class Checked(NamedTuple):
    """What a check found: which ranker is to be used, on what grounds, and the table behind it."""

    name: str
    reason: str
    verdict: str
    leaderboard: list[dict[str, Any]]


def candidates_for(items: Items, graded: bool) -> list[tuple[str, Ranker]]:
    """Return the ranker in use and those that may be better, by the names that an event can say."""
    kind = "texts" if items.are_texts else "lists" if len(items.lists) > 1 else "vectors"
    others = [(name, ranker_class(name)()) for name in OTHERS[kind]]
    return [(IN_USE, default_ranker(items, graded=graded)), *others]


def check(features: Any, y: Any, qid: Any, candidates: list[tuple[str, Ranker]]) -> Checked:
    """Compare rankers on held-out labels; runs in a worker.

    The ranker in use stays unless the choice of `compare` was better on the same splits, by more than twice
    the standard error of the difference.
    """
    from semirank.selection.auto_ranker import as_dataset
    from semirank.selection.compare import compare

    data = as_dataset(features, y, qid)
    found = compare(data, candidates, keep=None, budget=False, detailed=False, time_budget=SECONDS)
    if found.choice is None:
        raise ValueError(found.problem or "No ranker could be measured.")
    results = {each.name: each for each in found.results}
    rows = [_row(each, results.get(IN_USE)) for each in found.results]
    chosen = results.get(found.choice.name) if found.choice.name in dict(candidates) else None
    name = found.choice.name if _is_clear(chosen, results.get(IN_USE)) else IN_USE
    verdict = about_choice(found.choice, found.metric, int((~np.isnan(y)).sum()))
    return Checked(name, found.choice.reason, verdict, rows)


def _is_clear(one: Result | None, other: Result | None) -> bool:
    """Tell whether a ranker was better than another on the same splits, by twice the standard error."""
    if one is None or other is None or one.values is None or other.values is None:
        return False
    differences = (np.asarray(one.values, dtype=float) - np.asarray(other.values, dtype=float)).ravel()
    differences = differences[np.isfinite(differences)]
    if len(differences) < 2:
        return False
    return bool(differences.mean() > 2 * differences.std(ddof=1) / np.sqrt(len(differences)) > 0)


def _row(result: Result, in_use: Result | None) -> dict[str, Any]:
    known = in_use is not None and result.mean is not None and in_use.mean is not None
    difference = result.mean - in_use.mean if known else None  # type: ignore[operator, union-attr]
    return {"name": result.name, "score": _number(result.mean), "difference": _number(difference)}


def basis(found: Checked) -> str:
    """Say what a check means for the ranker in use."""
    if found.reason == "proven":
        return "proven here"
    return "labels alone" if found.reason == "labels" and found.name != IN_USE else "by experience"


def _number(value: Any) -> float | None:
    return None if value is None or not np.isfinite(value) else float(value)


class Checks:
    """When rankers are compared, and what follows from it."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._done_at = 0

    def start_if_due(self) -> None:
        """Check at the fifteenth relevant label, and when there are twice as many as at the last check."""
        session = self._session
        with session.lock:
            y, done = session.state.y, session.state.standing("check")
        relevant = int((y > 0).sum())
        wanted = max([FIRST_CHECK, *(2 * each.value.get("n_relevant", 0) for each in done)])
        enough = relevant >= wanted and int((y <= 0).sum()) >= LEAST_IRRELEVANT
        due = enough and relevant >= 2 * self._done_at
        if due and not session.project.read_only:
            self._done_at = relevant
            self.start()

    def start(self) -> Job:
        """Compare rankers on held-out labels in the background."""
        return self._session.jobs.start("check", self._run, "Comparing rankers on held-out labels.")

    def _run(self, job: Job) -> dict[str, Any]:
        session = self._session
        with session.lock:
            y, n_items = session.state.y, session.state.n_items
        items = session.items
        graded = bool((~np.isin(y[~np.isnan(y)], (0, 1))).any())
        qid = None if items.qid is None else list(items.qid[:n_items])
        given = (items.features[:n_items], y, qid, candidates_for(items, graded))
        return self._conclude(worker.run(job, check, *given, seconds=10 * SECONDS), y)

    def _conclude(self, found: Checked, y: Any) -> dict[str, Any]:
        """Write down what was found; a ranker that is clearly better takes over, or is offered."""
        session = self._session
        better = found.name != IN_USE
        offered = {"name": found.name, "settings": {}, "basis": basis(found)} if better else None
        blind = session.settings.get("double", "none") != "none"  # the ranker would tell of others' verdicts
        asks = blind or session.settings.get("takeover", "auto") == "ask"
        value = {
            "verdict": found.verdict,
            "leaderboard": found.leaderboard,
            "n_labels": int((~np.isnan(y)).sum()),
            "n_relevant": int((y > 0).sum()),
            "basis": basis(found),
            "offered": offered if asks else None,
        }
        session.add([Event(f"check-{secrets.token_hex(8)}", "check", value=value)], Person())
        if offered and not asks:
            self._wait_for_pause()
            session.add([Event(f"ranker-{secrets.token_hex(8)}", "ranker", value=offered)], Person())
        return value

    def _wait_for_pause(self) -> None:
        session = self._session
        while time.monotonic() - session.last_event < PAUSE and not session.is_closed:
            time.sleep(0.1)
