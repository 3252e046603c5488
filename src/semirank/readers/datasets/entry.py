"""What the catalogue says about a dataset, and how its files become items."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from semirank.readers.datasets.items import Items, join
from semirank.readers.fetch import Progress, RemoteFile, cache_folder, find, locate, trust


class Counts(NamedTuple):
    """How much a part holds as published; None where nothing is stated."""

    items: int
    lists: int | None = None
    relevant: int | None = None


@dataclass(frozen=True)
class Entry:
    """A named dataset.

    Parameters
    ----------
    name, summary : str
        What to call it, and what it holds, in one line.
    labels : str
        What a high label means, or what the classes are.
    address, terms : str
        Where it is published and on what terms it may be used.
    parts : mapping of str to Counts
        The parts it comes in, and how much each must hold.
    read : callable
        Makes `Items` of the paths of the files of one part, or of an archive with all parts.
    files : tuple of RemoteFile
        Empty for what comes with a library or is generated.
    n_features, n_classes : int, optional
        Published numbers; None for texts and for sets that come as lists.
    relevant : str, optional
        For sets of classes: what is ranked high unless the caller says otherwise.
    by_hand : str
        For files without an address: how to get them.
    options : tuple of str
        Keyword arguments of `read` that a caller may set.
    folds : bool
        Whether the parts rotate through five folds of three training parts, one for validation, one for test.
    """

    name: str
    summary: str
    labels: str
    address: str
    terms: str
    parts: Mapping[str, Counts]
    read: Callable[..., Items]
    files: tuple[RemoteFile, ...] = ()
    n_features: int | None = None
    n_classes: int | None = None
    relevant: str | None = None
    by_hand: str = ""
    options: tuple[str, ...] = ()
    folds: bool = False

    @property
    def n_items(self) -> int:
        """Number of items in all parts."""
        return sum(counts.items for counts in self.parts.values())

    @property
    def n_lists(self) -> int | None:
        """Number of lists in all parts; None for sets of classes."""
        lists = [counts.lists for counts in self.parts.values()]
        return None if None in lists else sum(filter(None, lists))

    def row(self) -> dict[str, Any]:
        """Return a line for a table of datasets."""
        return {
            "name": self.name,
            "holds": self.summary,
            "items": self.n_items,
            "lists": self.n_lists,
            "parts": " ".join(self.parts),
            "labels": self.labels,
            "relevant": self.relevant,
            "terms": self.terms,
            "address": self.address,
        }

    def choose_parts(self, part: str | Sequence[str] | None, fold: int | None) -> tuple[str, ...]:
        """Return the names of the parts that a caller asks for, all by default."""
        if fold is not None:
            return self._parts_of_fold(part, fold)
        wanted = tuple(self.parts) if part is None else (part,) if isinstance(part, str) else tuple(part)
        for name in wanted:
            if name not in self.parts:
                raise ValueError(f"{self.name} has no part {name!r}. Parts: {', '.join(self.parts)}.")
        if not wanted:
            raise ValueError(f"No part of {self.name} was asked for. Parts: {', '.join(self.parts)}.")
        return wanted

    def _parts_of_fold(self, part: str | Sequence[str] | None, fold: int) -> tuple[str, ...]:
        """Rotate the parts: fold 1 trains on the first three, validates on the fourth, tests on the fifth."""
        if not self.folds:
            raise ValueError(f"{self.name} does not come in folds.")
        if fold not in range(1, len(self.parts) + 1):
            raise ValueError(f"fold must be a whole number from 1 to {len(self.parts)}; got {fold!r}.")
        names = tuple(self.parts)[fold - 1 :] + tuple(self.parts)[: fold - 1]
        roles = {"train": names[:-2], "validation": names[-2:-1], "test": names[-1:]}
        if not isinstance(part, str) or part not in roles:
            raise ValueError(f"With a fold, part must be one of {', '.join(roles)}; got {part!r}.")
        return roles[part]

    def items(self, parts: tuple[str, ...], progress: Progress | None = None, **options: Any) -> Items:
        """Find or fetch the files of some parts, read them, and check that they hold what they should."""
        unknown = set(options).difference(self.options)
        if unknown:
            known = ", ".join(self.options) or "none"
            raise ValueError(f"{self.name} has no option {sorted(unknown)[0]!r}. Options: {known}.")
        if not self.files:
            items = self.read(**options)
            return replace(items, part=np.full(len(items), parts[0]))
        pieces = []
        for part, paths in self.paths(parts, progress):
            piece = self.read(*paths, **options)
            pieces.append(piece if part is None else piece.of_part(part))
        items = join(pieces)
        self._check(items)
        trust(self._needed(parts))
        return items.take(np.flatnonzero(np.isin(np.asarray(items.part, dtype=str), parts)))

    def paths(
        self, parts: tuple[str, ...], progress: Progress | None = None
    ) -> Iterator[tuple[str | None, list[Path]]]:
        """Yield the files needed for each part, downloading what is not here; None: they hold all parts."""
        needed = self._needed(parts)
        self._check_by_hand(needed)
        for part in dict.fromkeys(file.part for file in needed):
            yield part, [locate(file, progress) for file in needed if file.part == part]

    def _needed(self, parts: tuple[str, ...]) -> list[RemoteFile]:
        return [file for file in self.files if file.part is None or file.part in parts]

    def _check_by_hand(self, needed: Sequence[RemoteFile]) -> None:
        missing = dict.fromkeys(file.path for file in needed if file.url is None and find(file) is None)
        if missing:
            raise FileNotFoundError(
                f"{self.name} cannot be downloaded by a program. {self.by_hand} See {self.address} . Save "
                f"{', '.join(missing)} below {cache_folder()} or below a folder that SEMIRANK_DATA names; "
                "they may be compressed (.gz, .xz, .bz2, .zip)."
            )

    def _check(self, items: Items) -> None:
        """Compare what was read with what is published."""
        for part in np.unique(np.asarray(items.part, dtype=str)):
            rows = items.part == part
            expected = self.parts[str(part)]
            self._compare(f"items in part {part}", expected.items, int(np.sum(rows)))
            if items.qid is not None:
                self._compare(f"lists in part {part}", expected.lists, len(np.unique(items.qid[rows])))
            if items.y is not None:
                found = int(np.sum(items.y[rows] > 0))
                self._compare(f"relevant items in part {part}", expected.relevant, found)
        if items.X is not None:
            self._compare("features", self.n_features, items.X.shape[1])
        if items.classes is not None:
            self._compare("classes", self.n_classes, len(items.class_names))

    def _compare(self, what: str, expected: int | None, found: int) -> None:
        if expected is not None and found != expected:
            paths = [str(path) for path in map(find, self.files) if path is not None]
            raise ValueError(
                f"{self.name}: expected {expected} {what}, as published, and found {found}. The files are "
                f"damaged or another version; remove them to fetch them again: {', '.join(paths)}."
            )
