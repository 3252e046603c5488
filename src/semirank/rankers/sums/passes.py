"""Passes over data in parts."""

import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from itertools import accumulate
from typing import Any, Self

import numpy as np
from scipy.sparse import issparse, vstack

from semirank.core.arrays import Integers
from semirank.dataset import DataWarning, Features, RankingDataset, first_place
from semirank.dataset.parts import Hand, Part, Parts
from semirank.engines import Engine, Progress

LARGE = 1 << 20  # bytes of a sum that is added up where it was made before it travels
TOGETHER = 8  # parts whose sums are added up then


@dataclass
class Passes:
    """The parts, where tasks on them run, and how much of all passes is done.

    Attributes
    ----------
    parts : Parts
    engine : Engine
    budget : int
        Bytes that the features of labelled items may take in memory.
    progress : function of (done, total), or None
        Called after each part, with the number of parts in all passes.
    n_passes : int
        How many passes there will be.
    resume : path, or None
        A file of finished rounds, of rankers that learn in rounds.
    transformers : tuple
        What the items of a part go through after they were read.
    """

    parts: Parts
    engine: Engine
    budget: int = 0
    progress: Progress | None = None
    n_passes: int = 1
    resume: str | os.PathLike[str] | None = None
    transformers: tuple[Any, ...] = ()
    done: int = 0

    def through(self, transformer: Any, n_features: int, sparse: bool) -> Self:
        """Return passes over the same items with the features that a fitted transformer makes of them."""
        parts = replace(self.parts, n_features=n_features, sparse=sparse, texts=False, feature_names=None)
        return replace(self, parts=parts, transformers=(*self.transformers, transformer))

    def each(self, task: Callable[..., Any], *small: Any) -> Iterator[Any]:
        """Yield what a task returns for each part, in their order."""
        for found in self.engine.map(on_transformed, self.parts.parts, self.transformers, task, *small):
            self._tell(1)
            yield found

    def total(
        self, task: Callable[..., Any], join: Callable[[Any, Any], Any], n_bytes: int, *small: Any
    ) -> Any:
        """Join what a task returns for all parts, always in the same order.

        n_bytes : how long that is. Sums that are long are joined by eights on the workers.
        """
        if n_bytes < LARGE:
            return reduce(join, self.each(task, *small))
        return reduce(join, self._joined(task, join, small))

    def _joined(
        self, task: Callable[..., Any], join: Callable[[Any, Any], Any], small: tuple[Any, ...]
    ) -> Iterator[Any]:
        parts = self.parts.parts
        starts = range(0, len(parts), TOGETHER)
        hands = [Hand(number, parts[start : start + TOGETHER]) for number, start in enumerate(starts)]
        found = self.engine.map(on_transformed, hands, self.transformers, join_hand, task, join, small)
        for hand, each in zip(hands, found, strict=True):
            self._tell(len(hand.parts))
            yield each

    def rounds(self, task: Callable[..., Any], hands: list[Hand], *small: Any) -> list[Any]:
        """Return what a task returns for each hand, where the hand was before."""
        found = self.engine.rounds(on_transformed, hands, self.transformers, task, *small)
        self._tell(len(self.parts))
        return found

    def skip(self, n_passes: int) -> None:
        """Count passes as done that need not be done again."""
        self.done += n_passes * len(self.parts)

    def leave_out_bad(self) -> list[str]:
        """Go on without the parts that cannot be read; return what is wrong with each of them."""
        told = list(self.each(told_apart, look_at, True))
        warn_of([message for message in told if message is not None], len(told))
        good = [part for part, message in zip(self.parts, told, strict=True) if message is None]
        if not any(part.n_labelled for part in good):
            raise ValueError("No part that can be read has a label.")
        numbered = tuple(replace(part, number=number) for number, part in enumerate(good))
        self.parts, self.done = replace(self.parts, parts=numbered), 0
        return [message for message in told if message is not None]

    def _tell(self, n_parts: int) -> None:
        self.done += n_parts
        if self.progress is not None:
            total = len(self.parts) * self.n_passes
            self.progress(min(self.done, total), total)


def told_apart(part: Part, task: Callable[..., Any], *small: Any) -> str | None:
    """Run a task for what it does; return what is wrong with the part, where that may be (last argument)."""
    *small_, may_be_bad = small
    try:
        task(part, *small_)
    except ValueError as error:
        if not may_be_bad:
            raise
        return str(error)
    return None


def look_at(part: Part) -> None:
    """Read a part, and look whether features are missing."""
    check_features(part, part.read())


def check_choice(on_bad_part: str) -> None:
    """Refuse what is no way to treat bad parts."""
    if on_bad_part not in ("raise", "skip"):
        raise ValueError(f"on_bad_part must be 'raise' or 'skip'; got {on_bad_part!r}.")


def warn_of(messages: list[str], n_parts: int) -> None:
    """Warn of parts that are left out."""
    if messages:
        warnings.warn(
            f"{len(messages)} of {n_parts} parts are left out. The first: {messages[0]}",
            DataWarning,
            stacklevel=4,
        )


def on_transformed(
    place: Part | Hand, transformers: tuple[Any, ...], task: Callable[..., Any], *small: Any
) -> Any:
    """Run a task on parts whose items go through transformers when they are read."""
    if not transformers:
        return task(place, *small)
    if isinstance(place, Hand):
        return task(
            replace(place, parts=tuple(_transformed(part, transformers) for part in place.parts)), *small
        )
    return task(_transformed(place, transformers), *small)


def _transformed(part: Part, transformers: tuple[Any, ...]) -> Part:
    return replace(part, reader=read_transformed, arguments=(part, transformers))


def read_transformed(part: Part, transformers: tuple[Any, ...]) -> RankingDataset:
    """Read a part, and let its items, texts where they are texts, go through transformers."""
    data = part.read()
    X = data.X if data.texts is None else data.texts
    for each in transformers:
        X = each.transform(X)
    return data.replace(X=X)


def join_hand(
    hand: Hand, task: Callable[..., Any], join: Callable[[Any, Any], Any], small: tuple[Any, ...]
) -> Any:
    """Join what a task returns for the parts of a hand."""
    return reduce(join, (task(part, *small) for part in hand.parts))


def offsets(counts: list[int]) -> list[int]:
    """Return how many came before each."""
    return list(accumulate(counts, initial=0))[:-1]


def sample_of(rows: Integers, before: int, step: int) -> Integers:
    """Return every step-th of some rows, counted over all parts, of which `before` have come."""
    return rows[(before + np.arange(len(rows))) % step == 0]


def check_features(part: Part, data: RankingDataset, rows: Integers | None = None) -> Features:
    """Return the features of some items of a part; a missing one is refused with its place."""
    X = data.X if rows is None or len(rows) == data.n_items else data.X[rows]
    if (place := first_place(X, np.isnan)) is not None:
        row = place[0] if rows is None else rows[place[0]]
        names = data.feature_names
        feature = place[1] if names is None else repr(names[place[1]])
        raise ValueError(
            f"{part.name}: item {data.order[row]} of the part has no value of the feature {feature} (NaN). "
            "Fill it first."
        )
    return X


def stacked(blocks: list[Features]) -> Features:
    """Return blocks of rows, dense or sparse, as one."""
    return vstack(blocks, format="csr") if issparse(blocks[0]) else np.concatenate(blocks)
