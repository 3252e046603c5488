"""From events to an order: fold, rank, sort. Each order can be computed again from the events before it."""

import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import Any

import numpy as np
from sklearn.base import clone

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.dataset import DataWarning
from semirank.feedback.events import Event
from semirank.feedback.items import Items
from semirank.feedback.questions import QuestionRanker
from semirank.feedback.state import State
from semirank.meta.blend import Blend
from semirank.meta.screening import ScreeningRanker
from semirank.meta.text import TextRanker
from semirank.rankers._base import Ranker
from semirank.rankers.distance import DistanceRanking
from semirank.rankers.manifold import ManifoldRanking
from semirank.rankers.rankrls import RankRLS
from semirank.rankers.rankrls_cv import RankRLSCV
from semirank.registry import ranker_class

DIGESTED = 1000
KEPT = 100
LARGE = 200_000  # items of one list whose graph would take minutes


@dataclass(frozen=True)
class OrderRecord:
    """What is kept of an order, to prove later that it can be computed again.

    Attributes
    ----------
    number : int
        How many events that can change the order came before it.
    digest : str
        Of the first 1,000 unlabelled items.
    first : tuple of str
        The ids of the first 100 of them.
    """

    number: int
    digest: str
    first: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Order:
    """The items, ranked.

    Attributes
    ----------
    number : int
        How many events that can change the order came before it: `State.number` at that moment.
    rows : int64 array of shape (n_items,)
        All items, the best first; of several lists the best of each, then the second of each, and so on.
    scores : float64 array of shape (n_items,)
        The score of each item, comparable within a list only.
    ranker : str
        What ranked them: the name of the class, or "random" where nothing could be ranked yet.
    problem : str or None
        Why nothing could be ranked, and what to do.
    warnings : tuple of str
        What makes the order less certain than it looks.
    record : OrderRecord
        What is kept of it.
    """

    number: int
    rows: Integers
    scores: Floats
    ranker: str
    problem: str | None
    warnings: tuple[str, ...]
    record: OrderRecord

    @property
    def places(self) -> Integers:
        """The place of each row in the order, from 0."""
        places = np.empty(len(self.rows), dtype=np.int64)
        places[self.rows] = np.arange(len(self.rows))
        return places


class Engine:
    """Rank the items anew after events, and nothing more: threads and pauses are for whoever calls it.

    Order number v depends on the items, the settings of this engine and the first v events that can change
    the order, and on nothing else: not on which orders were computed before, nor on the clock. So events
    may be folded several at a time, and `replay` finds the same orders again.

    Parameters
    ----------
    items : Items
        What is ranked.
    ranker : Ranker, optional
        What ranks until a ``ranker`` event says otherwise; copies are fitted. None: `default_ranker`.
    reviewer : str, optional
        Learn from the labels of this reviewer alone: what a blind reviewer is shown. None: from those that
        teach (`labels.combine`).
    seed : int
        Seed of random orders and of ties.

    Attributes
    ----------
    ranker_ : Ranker or None
        The fitted ranker of the last order, for `explain`; row numbers are those of the items, and questions
        come after them. None where nothing could be ranked.

    See Also
    --------
    State : what it ranks by.
    queue : what to read next.
    replay : proves its orders again.

    Notes
    -----
    A ranker with `rerank` keeps its features and graph between labels; it is fitted anew when questions,
    items or the ranker itself have changed. Questions alone are answered as by a search engine
    (`QuestionRanker`); beside a relevant label, each counts as one. Until there is either, and wherever the
    ranker refuses the labels, the order is random (and fixed), and `Order.problem` says why.

    Examples
    --------
    >>> from semirank.feedback import Engine, Event, Items, State
    >>> texts = ["heart failure trial", "heart surgery", "kidney stones", "kidney failure trial"]
    >>> state = State(Items(["a", "b", "c", "d"], texts))
    >>> engine = Engine(state.items)
    >>> engine.rank(state).problem
    'There is no relevant item to start from yet: label one, or type what you look for.'
    >>> state.apply(Event("1", "label", "a", value=1))
    True
    >>> order = engine.rank(state)
    >>> order.number, order.rows.tolist(), order.ranker
    (1, [0, 3, 1, 2], 'ScreeningRanker')
    """

    ranker_: Ranker | None

    def __init__(
        self, items: Items, ranker: Ranker | None = None, *, reviewer: str | None = None, seed: int = 0
    ) -> None:
        self.items = items
        self.ranker = ranker
        self.reviewer = reviewer
        self.seed = seed
        self.ranker_ = None
        self._fitted_on: Any = None
        self._prepared: tuple[Any, Ranker] | None = None

    def rank(self, state: State) -> Order:
        """Return the order that follows from the events so far."""
        y = state.y if self.reviewer is None else state.labels_of(self.reviewer)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            scores, problem = self._scores(state, y)
        said = tuple(dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, DataWarning)))
        lists, ties = self.items.list_numbers[: len(y)], self.items.hashes(self.seed, "ties")[: len(y)]
        rows = rows_in_turn(scores, lists, ties)
        name = "random" if self.ranker_ is None else type(self.ranker_).__name__
        record = self._record(state.number, rows[np.isnan(y[rows])])
        return Order(state.number, rows, scores, name, problem, said, record)

    def preparation(self, state: State) -> Callable[[], None]:
        """Return what makes all that the first relevant label will need, such as a graph; no order changes.

        The state is read now. What is returned may run while others read the state and `ranker_`, but not
        beside `rank`.
        """
        made_of = self._made_of(state, graded=False, asked=False)
        is_there = self._prepared is not None and self._prepared[0] == made_of
        if is_there or (state.y > 0).any():
            return lambda: None
        self._prepared = None  # of other items or questions; it would take up memory meanwhile
        X, _, qid = self._given(state, state.y)
        return partial(self._prepare, made_of, self._ranker(state.last("ranker"), graded=False), X, qid)

    def _prepare(self, made_of: tuple[Any, ...], ranker: Ranker, X: Any, qid: Any) -> None:
        with warnings.catch_warnings(), suppress(ValueError):  # `rank` tells of both
            warnings.simplefilter("ignore", DataWarning)
            if ranker._fit_unlabelled(X, qid):
                self._prepared = made_of, ranker

    def _scores(self, state: State, y: Floats) -> tuple[Floats, str | None]:
        """Return scores of all items, and what went wrong where they are random."""
        questions = state.questions
        problem = "There is no relevant item to start from yet: label one, or type what you look for."
        if (y > 0).any() or questions:
            taught = np.append(y, np.ones(len(questions)))
            try:
                return self._fitted(state, taught).scores_[: len(y)], None
            except ValueError as refusal:
                problem, self._fitted_on = str(refusal), None
        self.ranker_ = None
        return -np.argsort(np.argsort(self.items.hashes(self.seed, "random")[: len(y)])).astype(
            float
        ), problem

    def _fitted(self, state: State, y: Floats) -> Ranker:
        """Fit the ranker on the items and questions, or only on other labels where these are the same."""
        graded = bool((~np.isin(y[~np.isnan(y)], (0, 1))).any())
        asked = not (y[: state.n_items] > 0).any()
        made_of, given = self._made_of(state, graded, asked), self._given(state, y)
        if self._fitted_on == made_of and self.ranker_ is not None:
            return self.ranker_._refit(*given)
        if self._prepared is not None and self._prepared[0] == made_of:
            ranker = self._prepared[1]._refit(*given)
        else:
            ranker = (QuestionRanker() if asked else self._ranker(state.last("ranker"), graded)).fit(*given)
        if not asked:
            self._prepared = None
        self.ranker_, self._fitted_on = ranker, made_of
        return ranker

    def _made_of(self, state: State, graded: bool, asked: bool) -> tuple[Any, ...]:
        """Return all that a ranker depends on besides labels."""
        event = state.last("ranker")
        return state.n_items, state.questions, None if event is None else event.id, graded, asked

    def _given(self, state: State, y: Floats) -> tuple[Any, Floats, Sequence[str] | None]:
        features = self.items.features[: state.n_items]
        if state.questions:
            features = np.array([*features, *(each.text for each in state.questions)], dtype=object)
        if self.items.qid is None:
            return features, y, None
        return features, y, [*self.items.qid[: state.n_items], *(each.qid for each in state.questions)]

    def _ranker(self, event: Event | None, graded: bool) -> Ranker:
        if event is not None and event.value is not None:
            return ranker_class(event.value["name"])(**event.value.get("settings", {}))
        return default_ranker(self.items, graded=graded) if self.ranker is None else clone(self.ranker)

    def _record(self, number: int, unlabelled: Integers) -> OrderRecord:
        ids = [self.items.ids[row] for row in unlabelled[:DIGESTED]]
        digest = blake2b("\0".join(ids).encode(), digest_size=16).hexdigest()
        return OrderRecord(number, digest, tuple(ids[:KEPT]))


def default_ranker(items: Items, *, graded: bool = False) -> Ranker:
    """Return what ranks items of a kind from the first label on.

    Texts, relevant or not: a ranker made for reading from the top. Texts with grades: least squares on latent
    features. Several lists of numbers: a mix of linear and boosted rankers. One list of numbers, such as
    embeddings: labels that spread over the graph of nearest neighbours; above 200,000 items, whose graph
    takes minutes, the distance to the nearest labels.
    """
    if items.are_texts:
        return TextRanker(RankRLS(), n_components=100) if graded else ScreeningRanker()
    if len(items.lists) > 1:
        return Blend()
    if len(items) > LARGE:
        return DistanceRanking()
    return RankRLSCV() if graded else ManifoldRanking(sigma="local", combine="ratio", join=True)


def rows_in_turn(scores: Floats, lists: Integers, ties: AnyArray) -> Integers:
    """Return rows, the best of each list first, then the second of each, and so on; ties by a fixed order."""
    if not lists.any():
        return np.lexsort((ties, -scores))
    by_list = np.lexsort((ties, -scores, lists))
    starts = np.searchsorted(lists[by_list], lists[by_list])
    return by_list[np.lexsort((lists[by_list], np.arange(len(by_list)) - starts))]
