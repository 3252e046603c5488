"""Data that are read part by part, because they do not fit into memory at once."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from semirank.dataset.ranking_dataset import RankingDataset


@dataclass(frozen=True)
class Part:
    """Some of the items of a dataset: where they are, not what they are.

    Attributes
    ----------
    number : int
        Its place among the parts, from 0.
    name : str
        File and place, for messages.
    n_items, n_labelled : int
        How many items it has, and how many of them have a label.
    reader : callable
        A function of a module that reads it, so that any process can.
    arguments : tuple
        What the function is called with.
    """

    number: int
    name: str
    n_items: int
    n_labelled: int
    reader: Callable[..., RankingDataset]
    arguments: tuple[Any, ...]

    def read(self) -> RankingDataset:
        """Read the items; what cannot be read raises a ValueError that names the place."""
        return self.reader(*self.arguments)


@dataclass(frozen=True)
class Hand:
    """Parts that one worker has; it is given the same hand in every round."""

    number: int
    parts: tuple[Part, ...]

    @property
    def name(self) -> str:
        """The first and the last part, for messages."""
        last = f" to {self.parts[-1].name}" if len(self.parts) > 1 else ""
        return f"{self.parts[0].name}{last}"


def deal(parts: Sequence[Part], n_hands: int) -> list[Hand]:
    """Deal parts out, in their order, into at most so many hands with about as many items each."""
    sizes = np.array([part.n_items for part in parts])
    ends = np.cumsum(sizes)
    owners = (2 * ends - sizes) * n_hands // (2 * ends[-1])  # by the middle of a part
    dealt = (tuple(part for part, own in zip(parts, owners, strict=True) if own == n) for n in range(n_hands))
    return [Hand(number, hand) for number, hand in enumerate(filter(None, dealt))]


@dataclass(frozen=True)
class Parts:
    """A dataset in parts, in a fixed order; what `semirank.open_parts` returns.

    Attributes
    ----------
    parts : tuple of Part
        Each holds whole lists, unless `one_list` is set.
    one_list : bool
        Whether all items are one list, which is cut.
    feature_names : tuple of str, or None
        The features, the same in every part.
    n_features : int
        How many there are.
    sparse : bool
        Whether features are sparse matrices.
    texts : bool
        Whether items are texts, without features.
    """

    parts: tuple[Part, ...]
    one_list: bool
    feature_names: tuple[str, ...] | None
    n_features: int
    sparse: bool = False
    texts: bool = False

    def __len__(self) -> int:
        return len(self.parts)

    def __iter__(self) -> Iterator[Part]:
        return iter(self.parts)

    @property
    def n_items(self) -> int:
        """How many items all parts have together."""
        return sum(part.n_items for part in self.parts)

    @property
    def n_labelled(self) -> int:
        """How many of them have a label."""
        return sum(part.n_labelled for part in self.parts)

    def __repr__(self) -> str:
        return (
            f"Parts({len(self)} parts, {self.n_items} items, {self.n_features} features, "
            f"{self.n_labelled} labelled)"
        )
