"""The loop on fully labelled data: how a reader who follows a ranker would have fared."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed, parallel_config
from sklearn.base import clone

from semirank.core.arrays import Booleans, Floats, Integers
from semirank.feedback import curves
from semirank.feedback.engine import Engine
from semirank.feedback.events import Event
from semirank.feedback.items import Items
from semirank.feedback.queue import queue
from semirank.feedback.state import State
from semirank.feedback.stop_rules import RULES, Stop
from semirank.rankers._base import Ranker
from semirank.results.result import Contrast
from semirank.selection.judge import Judge
from semirank.stopping import rank_change

RANDOM, ALONE = "random order", "labels alone"
APART = 50  # labels between two orders whose change is measured
Progress = Callable[[int, int | None], None]


@dataclass(frozen=True)
class Start:
    """What a reader knows at the beginning: so many labels of each kind, or a question."""

    relevant: int = 1
    irrelevant: int = 1
    question: str | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``1+1``, or take the text as a question.

        Examples
        --------
        >>> Start.parse("2+5")
        Start(relevant=2, irrelevant=5, question=None)
        >>> Start.parse("drugs for heart failure").question
        'drugs for heart failure'
        """
        first, plus, second = text.partition("+")
        if plus and first.strip().isdigit() and second.strip().isdigit():
            return cls(int(first), int(second))
        if not text.strip():
            raise ValueError("A start is N+M, so many relevant and irrelevant labels, or a question; got ''.")
        return cls(0, 0, text)


@dataclass(frozen=True)
class Run:
    """One reading of a list.

    Attributes
    ----------
    ranker, qid, number
        Whose order, of which list, in which run; runs of the same number have the same start.
    start : tuple of str
        The ids of the items whose labels were known.
    found : tuple of int
        The place, from 1, at which each relevant item was read.
    ids : tuple of str
        The relevant items in that order.
    n_items : int
        Items to be read: all but those of the start.
    n_orders : int
        How often items were ranked.
    seconds : float
        Processor time of a rank after a label, on average; the first, which makes features, does not count.
    stops : tuple of Stop
        Where rules would have stopped.
    changes : tuple of (int, float)
        Labels read, and how alike the orders of the unread are now and 50 labels ago.
    """

    ranker: str
    qid: str
    number: int
    start: tuple[str, ...]
    found: tuple[int, ...]
    ids: tuple[str, ...]
    n_items: int
    n_orders: int
    seconds: float
    stops: tuple[Stop, ...]
    changes: tuple[tuple[int, float], ...] = ()

    @property
    def relevant(self) -> Booleans:
        """Which items were relevant, in reading order; after the last relevant one the rest is filled up."""
        hits = np.zeros(self.n_items, dtype=bool)
        hits[np.array(self.found, dtype=np.int64) - 1] = True
        return hits

    @property
    def loss(self) -> float:
        """The normalised loss of the recall curve."""
        return curves.normalised_loss(self.relevant)

    def measures(self) -> dict[str, float]:
        """Return what the run comes to, by name."""
        hits = self.relevant
        return {
            "recall at 10 %": curves.recall_after(hits, 0.1),
            "items for 80 %": float(curves.items_for(hits, 0.8)),
            "items for 95 %": float(curves.items_for(hits, 0.95)),
            "items for 100 %": float(curves.items_for(hits, 1.0)),
            "WSS@95": curves.work_saved(hits, 0.95),
            "ATD": curves.time_to_discovery(hits),
            "loss": self.loss,
            "seconds a label": self.seconds,
        }


@dataclass(frozen=True)
class Simulation:
    """All runs, and what they were made with.

    Attributes
    ----------
    name : str
        Of the data.
    runs : tuple of Run
        Ranker after ranker.
    start, batch, seed, target, confidence
        The settings.
    """

    name: str
    runs: tuple[Run, ...]
    start: Start = field(default_factory=Start)
    batch: float = 1
    seed: int = 0
    target: float = 0.95
    confidence: float = 0.95

    @property
    def rankers(self) -> tuple[str, ...]:
        """The names of the rankers, in the order given."""
        return tuple(dict.fromkeys(run.ranker for run in self.runs))

    def of(self, ranker: str) -> list[Run]:
        """Return the runs of a ranker."""
        return [run for run in self.runs if run.ranker == ranker]

    def summary(self) -> list[dict[str, Any]]:
        """Return one row a ranker: the mean of each measure over runs, and its worst loss."""
        rows = []
        for ranker in self.rankers:
            measures = [run.measures() for run in self.of(ranker)]
            means = {name: fmean(each[name] for each in measures) for name in measures[0]}
            rows.append({"ranker": ranker, **means, "worst loss": max(each["loss"] for each in measures)})
        return rows

    def contrasts(self) -> dict[str, Contrast]:
        """Compare the first ranker with each other one, run by run, by the loss, in the words of `compare`.

        A difference above 0 says that the first one is better; p-values are corrected for their number.
        """
        first, *others = self.rankers
        judge = Judge("draw", 1.0, self.confidence, "loss", -1, self.seed)
        mine = np.array([run.loss for run in self.of(first)])
        pairs = []
        for other in others:
            differences = mine - np.array([run.loss for run in self.of(other)])
            pairs.append(judge.contrast(other, differences, tuple(differences.tolist())))
        return dict(zip(others, judge.judge_all(pairs), strict=True))

    def stops(self) -> list[dict[str, Any]]:
        """Return one row for each ranker and rule: how often it held, and what it saved."""
        rows = []
        for ranker in self.rankers:
            for rule in [stop.rule for stop in self.of(ranker)[0].stops]:
                rows.append(
                    {"ranker": ranker, "rule": rule, **_judge_rule(self.of(ranker), rule, self.target)}
                )
        return rows

    def to_json(self, indent: int | None = 1) -> str:
        """Return everything as JSON."""
        return json.dumps(asdict(self), indent=indent, allow_nan=False, default=float)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` has written."""
        values = json.loads(text)
        runs = tuple(_read_run(run) for run in values.pop("runs"))
        return cls(**{**values, "start": Start(**values["start"]), "runs": runs})


def simulate(
    items: Items,
    truth: Any,
    rankers: Mapping[str, Ranker | None],
    *,
    n_runs: int = 10,
    start: Start = Start(),
    batch: float = 1,
    rules: Sequence[str] = tuple(RULES),
    target: float = 0.95,
    confidence: float = 0.95,
    seed: int = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
    name: str = "data",
) -> Simulation:
    """Read fully labelled items as each ranker suggests, run after run from other first labels.

    Parameters
    ----------
    items, truth : Items, array of shape (n_items,)
        What is read, and its labels, above 0 for relevant items.
    rankers : mapping of str to Ranker or None
        What to compare, by name; None: a random order.
    n_runs : int
        Runs for each ranker and list; run k starts from the same labels for all rankers.
    start : Start
        What is known at the beginning. Labels are drawn at random for each run.
    batch : int or float
        Items that are read from one order; below 1, a share of what has been read, and one at least.
    rules : sequence of str
        Rules of which it is said where they would have stopped.
    target, confidence : float
        Of these rules.
    seed : int
        Of all that is drawn.
    n_jobs : int
        Processes; -1: one for each core.
    progress : callable, optional
        Called with (done, total) runs.

    Returns
    -------
    Simulation
        A run ends with the last relevant item; what comes after it changes no measure.

    See Also
    --------
    with_baselines : a random order and labels alone beside it.
    Simulation : what it returns.
    """
    truth = check_truth(truth, len(items))
    tasks = [
        (ranker_name, qid, number)
        for ranker_name in rankers
        for qid in items.lists
        for number in range(n_runs)
    ]
    shared = (items, truth, start, batch, tuple(rules), (target, confidence), seed)
    calls = (delayed(_run)(rankers[task[0]], task, shared) for task in tasks)
    runs = []
    for run in _in_processes(calls, n_jobs):
        runs.append(run)
        if progress is not None:
            progress(len(runs), len(tasks))
    return Simulation(name, tuple(runs), start, batch, seed, target, confidence)


def with_baselines(rankers: Mapping[str, Ranker]) -> dict[str, Ranker | None]:
    """Add a random order, and the first ranker on labels alone where it uses unlabelled items."""
    found: dict[str, Ranker | None] = dict(rankers)
    first = next(iter(rankers.values()))
    alone = first.supervised() if first.assumption is not None else None
    if alone is not None and ALONE not in found:
        found[ALONE] = alone
    return found | {RANDOM: None}


def check_truth(truth: Any, n_items: int) -> Floats:
    """Refuse what a simulation cannot use: an item without a label, or none of one kind."""
    labels = np.asarray(truth, dtype=np.float64)
    if labels.shape != (n_items,):
        raise ValueError(f"truth must have one label for each of {n_items} items; got {labels.shape}.")
    if np.isnan(labels).any():
        missing = int(np.isnan(labels).sum())
        raise ValueError(f"{missing} of {n_items} items have no label; a simulation needs all of them.")
    if not (labels > 0).any() or not (labels <= 0).any():
        raise ValueError("A simulation needs relevant and irrelevant items; all labels are of one kind.")
    return labels


def _in_processes(calls: Iterator[Any], n_jobs: int) -> Iterator[Run]:
    if n_jobs == 1:
        yield from (function(*given, **options) for function, given, options in calls)
        return
    with parallel_config("loky", n_jobs=n_jobs, inner_max_num_threads=1):
        yield from Parallel(return_as="generator")(calls)


def _run(ranker: Ranker | None, task: tuple[str, str, int], shared: tuple[Any, ...]) -> Run:
    """Read one list once."""
    items, truth, start, batch, rules, (target, confidence), seed = shared
    name, qid, number = task
    rows = np.flatnonzero(items.list_numbers == items.lists.index(qid))
    reader = Reader(_part(items, rows), truth[rows], ranker, seed)
    known = reader.begin(start, number)
    read = reader.read(batch)
    relevant = reader.truth[read] > 0
    found = np.flatnonzero(relevant) + 1
    n_items = len(rows) - len(known)
    whole = np.zeros(n_items, dtype=bool)
    whole[found - 1] = True
    return Run(
        ranker=name,
        qid=qid,
        number=number,
        start=tuple(reader.items.ids[row] for row in known),
        found=tuple(found.tolist()),
        ids=tuple(reader.items.ids[row] for row in np.array(read)[relevant]),
        n_items=n_items,
        n_orders=reader.n_orders,
        seconds=reader.seconds / max(reader.n_orders - 1, 1),
        stops=tuple(RULES[rule](whole, target, confidence, seed + number) for rule in rules),
        changes=tuple(reader.changes),
    )


def _part(items: Items, rows: Integers) -> Items:
    features = items.features[rows] if hasattr(items.features, "shape") else [items.features[k] for k in rows]
    return Items([items.ids[row] for row in rows], features)


class Reader:
    """Somebody who follows an engine through one list and knows all answers."""

    def __init__(self, items: Items, truth: Floats, ranker: Ranker | None, seed: int) -> None:
        self.items, self.truth, self.seed = items, truth, seed
        self.engine = None if ranker is None else Engine(items, clone(ranker), seed=seed)
        self.state = State(items)
        self.n_orders, self.seconds = 0, 0.0
        self.changes: list[tuple[int, float]] = []
        self._order_before: Integers | None = None

    def begin(self, start: Start, number: int) -> Integers:
        """Label what is known at the beginning; return its rows."""
        if start.question is not None:
            self.state.apply(Event("question", "seed", value=start.question))
        mixed = np.argsort(self.items.hashes(self.seed, f"start {number}"), kind="stable")
        relevant = mixed[self.truth[mixed] > 0][: start.relevant]
        irrelevant = mixed[self.truth[mixed] <= 0][: start.irrelevant]
        if len(relevant) == (self.truth > 0).sum():
            raise ValueError(
                f"A start of {start.relevant} relevant items leaves none to be found: "
                f"there are {len(relevant)}."
            )
        known = np.concatenate([relevant, irrelevant])
        self._label(known)
        self._random = mixed
        return known

    def read(self, batch: float) -> list[int]:
        """Read until the last relevant item; return the rows in that order."""
        read: list[int] = []
        wanted = int((self.truth > 0).sum()) - int((self.state.y > 0).sum())
        while wanted:
            rows = self._next(int(batch) if batch >= 1 else max(1, int(batch * len(read))), len(read))
            self._label(rows)
            read += rows.tolist()
            wanted -= int((self.truth[rows] > 0).sum())
        return read

    def _next(self, batch: int, n_read: int) -> Integers:
        if self.engine is None:
            return self._random[~self.state.read[self._random]][:batch]
        begun = time.process_time()
        order = self.engine.rank(self.state)
        rows = queue(self.state, order, n=batch, seed=self.seed)
        if self.n_orders:  # the first order makes features too
            self.seconds += time.process_time() - begun
        self.n_orders += 1
        if n_read // APART > (n_read - batch) // APART or self._order_before is None:
            self._measure_change(order.rows, n_read)
        return rows

    def _measure_change(self, rows: Integers, n_read: int) -> None:
        unread = rows[~self.state.read[rows]]
        if self._order_before is not None and len(unread) > 1:
            self.changes.append((n_read, rank_change(self._order_before, unread).correlation))
        self._order_before = unread

    def _label(self, rows: Integers) -> None:
        for row in rows.tolist():
            label = Event(f"label {row}", "label", self.items.ids[row], value=float(self.truth[row]))
            self.state.apply(label)


def _judge_rule(runs: Sequence[Run], rule: str, target: float) -> dict[str, Any]:
    stops = [(run, next(stop for stop in run.stops if stop.rule == rule)) for run in runs]
    shares = [1.0 if stop.n_read is None else stop.n_read / run.n_items for run, stop in stops]
    held = [stop.held for _, stop in stops if stop.held is not None]
    return {
        "stopped below the target": sum(stop.recall < target - 1e-12 for _, stop in stops),
        "runs": len(stops),
        "worst recall": min(stop.recall for _, stop in stops),
        "bounds held": fmean(held) if held else None,
        "median saved": float(np.median([1 - share for share in shares])),
        "median saved by an oracle": float(
            np.median([1 - curves.items_for(run.relevant, target) / run.n_items for run, _ in stops])
        ),
    }


def _read_run(values: dict[str, Any]) -> Run:
    stops = tuple(Stop(**stop) for stop in values.pop("stops"))
    changes = tuple((int(place), float(change)) for place, change in values.pop("changes"))
    values |= {name: tuple(values[name]) for name in ("start", "found", "ids")}
    return Run(**values, stops=stops, changes=changes)
