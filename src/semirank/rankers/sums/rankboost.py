"""RankBoost over parts: sums of whole numbers, the same bits for any parts on any workers.

A pass counts pairs, a second one takes the sample of values by which features are binned, and the first round
bins them. What a round needs of a part (bins, pairs, scores) is kept in files of the worker that has it
(`engines.scratch`), one part at a time in memory; another worker makes them again from the part and the
stumps so far.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import islice
from math import inf, log
from typing import Any, NamedTuple
from uuid import uuid4
from zlib import crc32

import numpy as np

from semirank.checkpoints import Checkpoint
from semirank.core.arrays import AnyArray, Bytes, Floats, Integers
from semirank.core.stumps import count_bins, raise_above, search_counts
from semirank.dataset import RankingDataset
from semirank.dataset.parts import Hand, Part
from semirank.engines import scratch
from semirank.rankers.losses.exponential import OrderedExponential
from semirank.rankers.pairs import OrderedPairs
from semirank.rankers.rankboost import RankBoost
from semirank.rankers.solvers.boosting import Round, step_along
from semirank.rankers.solvers.columns import SAMPLE, BinnedColumns, find_edges
from semirank.rankers.sums.passes import Passes, check_features, sample_of
from semirank.rankers.sums.rounds import belong, finished, open_rounds
from semirank.spelling import option

UNIT = 2.0**-61  # of weights and losses as whole numbers, relative to the loss before
SMALLEST = 2.0**-20  # a loss that falls below this share of the one before is counted again, by itself
OWN, LENT = 0, 1


class Teaching(NamedTuple):
    """The items of a part that teach.

    Attributes
    ----------
    pairs : OrderedPairs
        Their pairs; `items` are rows of the part. Lists with labels of their own come first, then those
        with labels that were lent.
    n_own : int
        Lists whose labels are their own.
    away : float64 array of shape (n_items,)
        Squared distance of each of the items to the one that lent its label; 0 where it is its own.
    n_given, squares : int, float
        How many labels were lent, in pairs or not, and the sum of the squared distances.
    """

    pairs: OrderedPairs
    n_own: int
    away: Floats
    n_given: int = 0
    squares: float = 0.0


Teach = Callable[[RankingDataset], Teaching]
"""Which items of a part teach; a function that can be sent."""


def teach_by_labels(data: RankingDataset) -> Teaching:
    """Take the labelled items."""
    items = np.flatnonzero(data.labelled)
    pairs = OrderedPairs.ordered_by(data.y[items], data.list_of_item[items], np.ones(len(items)))
    return Teaching(replace(pairs, items=items[pairs.items]), len(pairs.numbers), np.zeros(len(pairs.items)))


class Counts(NamedTuple):
    """What is known of a part after the first pass: all but `n_lists` twice, of own and of lent labels.

    log_masses: logarithm of the number of pairs of each list; n_rows: items that teach; n_given: items
    with a lent label, in pairs or not, and the sum of the squares of their distances; checksum: of all
    that was read, where it is asked for.
    """

    log_masses: tuple[Floats, Floats]
    n_rows: tuple[int, int]
    n_given: int
    squares: float
    n_lists: int
    checksum: int


@dataclass(frozen=True)
class Plan:
    """What a worker has to know to make its share of every round.

    Attributes
    ----------
    token : str
        Under which it keeps files.
    teach : function of a dataset
        Which items teach.
    log_shares : tuple of float
        Logarithm of the weight of a pair, or of a list, with own and with lent labels.
    by_list : bool
        Whether lists count the same, not pairs.
    mean_square : float
        By which similarities of lent labels fall off; infinite: all are 1.
    columns : BinnedColumns
        The thresholds of all features; no items.
    """

    token: str
    teach: Teach
    log_shares: tuple[float, float]
    by_list: bool
    mean_square: float
    columns: BinnedColumns


def fit(
    ranker: RankBoost,
    passes: Passes,
    teach: Teach = teach_by_labels,
    lent_weight: float = 0.0,
    by_similarity: bool = False,
) -> bool:
    """Fit a RankBoost; return whether lent labels, all of which together have a weight, have taught.

    by_similarity : whether they count the less, the farther the item is that has lent them.
    """
    _refuse_what_cannot_be_added_up(ranker, passes)
    passes.n_passes = 3 + ranker.n_rounds * passes_a_round(ranker)
    token = uuid4().hex
    hands = passes.engine.deal(passes.parts.parts)
    try:
        with open_rounds(passes.resume) as kept:
            belong(kept, "parameters", [type(ranker).__name__, repr(sorted(ranker.get_params().items()))])
            belong(kept, "parts", [[part.name, part.n_items, part.n_labelled] for part in passes.parts])
            counts = by_part(passes, hands, count, token, teach, passes.resume is not None)
            belong(kept, "data", [each.checksum for each in counts])
            totals = Totals.of(ranker, counts, lent_weight)
            columns = bin_edges(passes, hands, token, teach, totals, int(ranker.n_bins or 0))
            mean_square = totals.mean_square if by_similarity else inf
            by_list = ranker.balance == "lists"
            plan = Plan(token, teach, totals.log_shares, by_list, mean_square, columns)
            rounds = list(islice(boost(ranker, passes, hands, plan, totals, kept), ranker.n_rounds))
    finally:
        passes.engine.tell(forget, hands, token)
    ranker.n_lists_, ranker.validation_losses_ = totals.n_lists, np.empty(0)
    ranker._keep(rounds)
    return len(totals.log_totals) > 1


def passes_a_round(ranker: RankBoost) -> int:
    """Return how often a round goes through the parts."""
    return 2 if ranker.step == "exact" else 1


def _refuse_what_cannot_be_added_up(ranker: RankBoost, passes: Passes) -> None:
    parts = passes.parts
    if parts.sparse or (parts.one_list and len(parts) > 1):
        raise ValueError(
            f"{type(ranker).__name__} learns by sums from dense features of whole lists, and here "
            + ("features are sparse" if parts.sparse else "one list is cut into parts")
            + f". Raise the budget for labelled items in memory ({option('budget', ...)})."
        )


def by_part(passes: Passes, hands: list[Hand], task: Callable[..., Any], *small: Any) -> list[Any]:
    """Return what a task returns for each part, where its hand is."""
    return [each for dealt in passes.rounds(on_each, hands, task, *small) for each in dealt]


def on_each(hand: Hand, task: Callable[..., Any], *small: Any) -> list[Any]:
    """Run a task on each part of a hand."""
    return [task(part, *small) for part in hand.parts]


def count(part: Part, token: str, teach: Teach, with_checksum: bool) -> Counts:
    """Count the pairs and the items of a part."""
    data = part.read()
    found = taught(part, token, teach, data)
    masses = found.pairs.log_masses()
    starts = found.pairs.levels[found.pairs.lists]
    n_own = int(starts[found.n_own])
    return Counts(
        (masses[: found.n_own], masses[found.n_own :]),
        (n_own, len(found.pairs.items) - n_own),
        found.n_given,
        found.squares,
        data.n_lists,
        checksum_of(data) if with_checksum else 0,
    )


def checksum_of(data: RankingDataset) -> int:
    """Return a number that differs, most probably, for other items, labels or lists."""
    arrays = (np.ascontiguousarray(each) for each in (data.X, data.y, data.indptr))
    return reduce(lambda found, each: crc32(each.data, found), arrays, 0)


def taught(part: Part, token: str, teach: Teach, data: RankingDataset) -> Teaching:
    """Find the items of a part that teach, or what was found before."""

    def find() -> Teaching:
        check_features(part, data)
        return teach(data)

    kept: Teaching = scratch.keep(token, f"teaching-{part.number}", find)
    return kept


class Totals(NamedTuple):
    """What the first pass says of all parts.

    log_totals: logarithm of the weight of own labels and, where there are any, of lent ones; offsets: for
    each part, how many items with own, and with lent labels, come before its own.
    """

    log_totals: Floats
    log_shares: tuple[float, float]
    mean_square: float
    log_count: float
    offsets: Integers
    n_rows: int
    n_lists: int

    @classmethod
    def of(cls, ranker: RankBoost, counts: list[Counts], lent_weight: float) -> "Totals":
        """Divide all pairs into shares."""
        own, lent = (np.concatenate([each.log_masses[term] for each in counts]) for term in (OWN, LENT))
        if not len(own):
            raise ValueError(
                f"{type(ranker).__name__} learns from items of one list with different labels, and there are "
                "none: the labelled items of every list are of one class."
            )
        shares = _log_share(own, 1.0, ranker.balance), _log_share(lent, lent_weight, ranker.balance)
        rows = np.array([each.n_rows for each in counts])
        before = np.cumsum(rows, axis=0) - rows
        before[:, LENT] += rows[:, OWN].sum()
        n_given, squares = sum(each.n_given for each in counts), sum(each.squares for each in counts)
        return cls(
            np.log([1.0, lent_weight] if len(lent) else [1.0]),
            shares,
            squares / max(n_given, 1) or 1.0,
            float(np.logaddexp.reduce(np.append(own, lent))),
            before,
            int(rows.sum()),
            sum(each.n_lists for each in counts),
        )


def _log_share(log_masses: Floats, weight: float, balance: str) -> float:
    """Return the logarithm of the weight of a pair, or of a list, where all have a weight together."""
    if not len(log_masses):
        return -inf
    together = log(len(log_masses)) if balance == "lists" else float(np.logaddexp.reduce(log_masses))
    return log(weight) - together


def boost(
    ranker: RankBoost, passes: Passes, hands: list[Hand], plan: Plan, totals: Totals, kept: Checkpoint
) -> Iterator[Round]:
    """Yield rounds, as `solvers.boosting.boost` does: first those that were kept, then new ones.

    Kept are the stump that was found, the losses before it, which are those after the one before it, and
    the loss relative to which the next round counts.
    """
    before, stumps = float(np.logaddexp.reduce(totals.log_totals)), np.empty((0, 3))
    for stump, log_losses, relative_to in finished(kept):
        if len(stumps):
            yield round_of(plan, stumps[-1], log_losses)
        before, stumps = relative_to, np.vstack([stumps, stump])
    passes.skip(len(stumps) * passes_a_round(ranker))
    while True:
        seen = weigh_all(passes, hands, plan, stumps, before)
        log_losses = seen.log_losses[: len(totals.log_totals)].tolist()
        if len(stumps):
            yield round_of(plan, stumps[-1], log_losses)
        stump = find_stump(ranker, passes, hands, plan, totals, stumps, seen)
        if stump is None:
            return
        before = seen.before + log(seen.share)
        kept.add(str(len(stumps)), [stump, log_losses, before])
        stumps = np.vstack([stumps, stump])


def round_of(plan: Plan, stump: Floats, log_losses: list[float]) -> Round:
    """Return a stump, given by column, cut and weight, as a round."""
    column, cut, alpha = int(stump[0]), int(stump[1]), float(stump[2])
    return Round(*plan.columns.stump(column, cut), alpha, np.array(log_losses))


class Seen(NamedTuple):
    """The sums of a round over all parts: signed weights, losses, and relative to what loss they are."""

    counts: Integers
    losses: Integers
    before: float

    @property
    def share(self) -> float:
        """The loss as a share of the one before."""
        return float(self.losses.sum()) * UNIT

    @property
    def log_losses(self) -> Floats:
        """Logarithms of the losses of own and of lent labels."""
        with np.errstate(divide="ignore"):
            return self.before + np.log(self.losses * UNIT)


def weigh_all(passes: Passes, hands: list[Hand], plan: Plan, stumps: Floats, before: float) -> Seen:
    """Return the sums after some stumps, relative to a loss that is not much larger."""
    while True:
        found = passes.rounds(weigh, hands, plan, stumps, before)
        counts, losses = (np.sum(each, axis=0) for each in zip(*found, strict=True))
        seen = Seen(counts, losses, before)
        if seen.share >= SMALLEST:
            return seen
        before += log(max(seen.share, UNIT))


def find_stump(
    ranker: RankBoost,
    passes: Passes,
    hands: list[Hand],
    plan: Plan,
    totals: Totals,
    stumps: Floats,
    seen: Seen,
) -> list[float] | None:
    """Return column, cut and weight of the next stump; None where none lowers the loss."""
    shares = seen.counts.astype(np.float64) * (UNIT / seen.share)
    column, cut, r = search_counts(shares, plan.columns.n_edges)
    if column < 0:
        return None
    at_one = None
    if ranker.step == "exact":
        tried = passes.rounds(lose, hands, plan, stumps, np.array([column, cut, 1.0]), seen.before)
        at_one = float(np.sum(tried)) * UNIT / seen.share
    return [column, cut, step_along(r, at_one, totals.log_count)]


def bin_edges(
    passes: Passes, hands: list[Hand], token: str, teach: Teach, totals: Totals, n_bins: int
) -> BinnedColumns:
    """Place the thresholds of all features, by the sample of items that an ordinary fit takes."""
    step = -(-totals.n_rows // SAMPLE)
    blocks = by_part(passes, hands, values, token, teach, totals.offsets, step)
    X = np.concatenate(blocks)
    edges = tuple(find_edges(np.sort(column).astype(np.float64), n_bins) for column in X.T)
    return BinnedColumns.between(edges, n_bins)


def values(part: Part, token: str, teach: Teach, offsets: Integers, step: int) -> AnyArray:
    """Return the features of every step-th item that teaches, counted over all parts."""
    data = part.read()
    found = taught(part, token, teach, data)
    first_lent = int(found.pairs.levels[found.pairs.lists[found.n_own]])
    own, lent = np.split(found.pairs.items, [first_lent])
    before = offsets[part.number]
    rows = [sample_of(own, before[OWN], step), sample_of(lent, before[LENT], step)]
    return data.X[np.concatenate(rows)]


class Binned(NamedTuple):
    """What a round needs of a part beside the scores: features in bins, and pairs with their shares."""

    bins: Bytes
    pairs: OrderedPairs
    n_own: int


def weigh(hand: Hand, plan: Plan, stumps: Floats, before: float) -> tuple[Integers, Integers]:
    """Add up the signed weights by feature and bin, and the losses of own and lent labels, after some stumps.

    Both are whole numbers of `UNIT`, relative to a loss of which the logarithm is given.
    """
    counts = np.zeros((len(plan.columns.n_edges), 256), dtype=np.int64)
    losses = np.zeros(2, dtype=np.int64)
    room = np.empty(0)  # for all parts: memory that a worker of Dask has given back is costly to get anew
    for part in hand.parts:
        binned = bins_of(part, plan)
        n_items = len(binned.pairs.items)
        if n_items:
            room = room if len(room) >= 3 * n_items else np.empty(3 * n_items)
            loss = OrderedExponential(binned.pairs, room[: 2 * n_items].reshape(2, n_items))
            losses += whole_losses(loss, scores_after(part, plan, binned, stumps), binned.n_own, before)
            signed = room[2 * n_items : 3 * n_items].view(np.int64)
            count_bins(binned.bins, whole(loss.signed(before), signed), counts)
    return counts, losses


def lose(hand: Hand, plan: Plan, stumps: Floats, trial: Floats, before: float) -> Integers:
    """Return the losses of own and lent labels after some stumps and one more, which is not kept."""
    losses = np.zeros(2, dtype=np.int64)
    for part in hand.parts:
        binned = bins_of(part, plan)
        if len(binned.pairs.numbers):
            scores = scores_after(part, plan, binned, stumps)
            raise_stump(binned.bins, trial, scores)
            losses += whole_losses(OrderedExponential(binned.pairs), scores, binned.n_own, before)
    return losses


def whole_losses(loss: OrderedExponential, scores: Floats, n_own: int, before: float) -> Integers:
    """Return the losses of own and of lent labels as whole numbers."""
    of_lists = whole(np.exp(loss.of_lists(scores) - before))
    return np.array([of_lists[:n_own].sum(), of_lists[n_own:].sum()])


def whole(values: Floats, out: Integers | None = None) -> Integers:
    """Return numbers, which are used up, as whole multiples of the unit."""
    values /= UNIT
    found = np.empty(len(values), dtype=np.int64) if out is None else out
    np.copyto(found, np.rint(values, out=values), casting="unsafe")
    return found


def bins_of(part: Part, plan: Plan) -> Binned:
    """Return the bins and pairs of a part, made once."""
    kept: Binned = scratch.keep(plan.token, f"bins-{part.number}", partial(bin_part, part, plan))
    return kept


def bin_part(part: Part, plan: Plan) -> Binned:
    """Bin the features of the items of a part that teach, and give its lists their shares."""
    data = part.read()
    found = taught(part, plan.token, plan.teach, data)
    pairs, n_own = found.pairs, found.n_own
    shares = np.repeat(plan.log_shares, [n_own, len(pairs.numbers) - n_own])
    if plan.by_list:
        shares = shares - pairs.log_masses()
    bins = plan.columns.bins_of(data.X, pairs.items)
    weights = pairs.weights * np.exp(-found.away / (2.0 * plan.mean_square))
    return Binned(bins, replace(pairs, log_shares=shares, weights=weights), n_own)


_applied: dict[tuple[str, int], int] = {}  # stumps that the scores in a file of this process have


def scores_after(part: Part, plan: Plan, binned: Binned, stumps: Floats) -> Floats:
    """Return the scores of the items of a part after some stumps, from those that were kept."""
    key, path = (plan.token, part.number), scratch.folder_of(plan.token) / f"scores-{part.number}.npy"
    n_applied = _applied.pop(key, 0)  # until the file is whole again, it does not count
    if 0 < n_applied <= len(stumps):
        scores = np.load(path)
    else:
        n_applied, scores = 0, np.zeros(binned.bins.shape[1])
    for stump in stumps[n_applied:]:
        raise_stump(binned.bins, stump, scores)
    np.save(path, scores)
    _applied[key] = len(stumps)
    return scores


def raise_stump(bins: Bytes, stump: Floats, scores: Floats) -> None:
    """Add the weight of a stump to the scores of the items for which it holds."""
    raise_above(bins, int(stump[0]), int(stump[1]), float(stump[2]), scores)


def forget(hand: Hand, token: str) -> None:
    """Remove what was kept for a fit."""
    scratch.forget(token)
    for key in [key for key in _applied if key[0] == token]:
        _applied.pop(key, None)
