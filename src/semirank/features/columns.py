"""Columns of a table, each as the features that its kind has: numbers, categories, dates, texts."""

from abc import abstractmethod
from collections import Counter
from typing import ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator

from semirank.core.arrays import AnyArray, Floats
from semirank.features.cells import as_levels, days_in, known_words, numbers_in
from semirank.features.lsa import LSA
from semirank.features.tfidf import TfIdf
from semirank.learned import Each, Number, Part, Table, Value, count
from semirank.storage import Storable

MOST_LEVELS = 50
N_TOPICS = 10  # a text beside other columns counts as a few of them
MISSING, OTHER = "missing", "other"


class Column(Storable, BaseEstimator):
    """A column that has learned how its cells become features."""

    kind: ClassVar[str]

    @abstractmethod
    def fit(self, cells: AnyArray) -> Self:
        """Learn from the cells of all items."""

    @abstractmethod
    def transform(self, cells: AnyArray) -> Floats:
        """Return one row of features for each cell."""

    @abstractmethod
    def names(self, column: str) -> list[str]:
        """Return a name for each feature of a column of this name."""

    @property
    def remark(self) -> str | None:
        """What the user should know about how the column was read."""
        return None


class MeasuredColumn(Column):
    """A column of measurements: a missing one is the median, and a feature of its own says so."""

    learned: ClassVar[Table] = {
        "median_": Number(),
        "has_gaps_": Value(bool),
        "unread_": Each(Value(str)),
    }

    median_: float
    has_gaps_: bool
    unread_: list[str]

    def fit(self, cells: AnyArray) -> Self:
        """Learn how measurements are written, their median, and whether some are missing."""
        values = self._read(cells, first=True)
        known = values[~np.isnan(values)]
        self.median_ = float(np.median(known)) if len(known) else 0.0
        self.has_gaps_ = len(known) < len(values)
        self.unread_ = _unread(cells, values)
        return self

    def transform(self, cells: AnyArray) -> Floats:
        """Return the measurements, and where `fit` has seen gaps, which of them are missing."""
        values = self._read(cells, first=False)
        missing = np.isnan(values)
        parts = self._parts(np.where(missing, self.median_, values))
        return np.column_stack([*parts, missing] if self.has_gaps_ else parts).astype(np.float64)

    def names(self, column: str) -> list[str]:
        """Return the name of the column, and those of its parts and gaps."""
        parts = [column, *(f"{column}: {part}" for part in self.parts)]
        return [*parts, f"{column}: {MISSING}"] if self.has_gaps_ else parts

    @property
    def remark(self) -> str | None:
        """Which cells could not be read."""
        shown = ", ".join(map(repr, self.unread_))
        return f"{shown} is no {self.kind} and counts as missing" if shown else None

    parts: ClassVar[tuple[str, ...]] = ()

    def _parts(self, values: Floats) -> list[Floats]:
        return [values]

    @abstractmethod
    def _read(self, cells: AnyArray, *, first: bool) -> Floats:
        """Return measurements, NaN where there is none; `first` learns how they are written."""


class NumberColumn(MeasuredColumn):
    """A number as it is.

    Examples
    --------
    >>> NumberColumn().fit(np.array([1.0, 5.0, np.nan, 2.0])).transform(np.array([np.nan, 7.0]))
    array([[2., 1.],
           [7., 0.]])
    """

    kind = "number"

    learned: ClassVar[Table] = MeasuredColumn.learned | {"style_": Value(str)}

    style_: str

    def _read(self, cells: AnyArray, *, first: bool) -> Floats:
        if cells.dtype.kind == "f":
            if first:
                self.style_ = "decimal points"
            return np.where(np.isinf(cells), np.nan, cells)
        found = numbers_in(known_words(cells), None if first else self.style_)
        if found is None:
            raise ValueError("most of its cells are no numbers")
        self.style_ = found[1]
        return found[0]

    @property
    def remark(self) -> str | None:
        """Which cells could not be read, and what commas mean."""
        written = None if self.style_ == "decimal points" else f"read with {self.style_}"
        return "; ".join(filter(None, (written, super().remark))) or None


class DateColumn(MeasuredColumn):
    """A date as days since 1970, its month from 1 and its weekday from 0 (Monday).

    Examples
    --------
    >>> column = DateColumn().fit(np.array(["1970-01-02", "1970-02-05"], dtype=object))
    >>> column.transform(np.array(["3 Jan 1970"], dtype=object))
    array([[2., 1., 5.]])
    """

    kind = "date"
    parts = ("month", "weekday")

    learned: ClassVar[Table] = MeasuredColumn.learned | {"day_first_": Value(bool)}

    day_first_: bool

    def _read(self, cells: AnyArray, *, first: bool) -> Floats:
        if cells.dtype.kind == "M":
            if first:
                self.day_first_ = False
            return np.where(np.isnat(cells), np.nan, cells.astype("datetime64[us]").astype(float) / 86_400e6)
        found = days_in(known_words(cells), None if first else self.day_first_)
        if found is None:
            raise ValueError("most of its cells are no dates")
        self.day_first_ = found[1]
        return found[0]

    def _parts(self, values: Floats) -> list[Floats]:
        whole = np.floor(values)
        months = whole.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) % 12 + 1
        return [values, months.astype(np.float64), (whole + 3) % 7]


class CategoryColumn(Column):
    """A word as one feature for each level: 1 where the cell is that word.

    Missing cells are a level. Of many levels the 50 most frequent have a feature, and the others share one; a
    new word is one of them, or 0 everywhere. Two levels make one feature, 1/2 where a cell is neither.

    Examples
    --------
    >>> column = CategoryColumn().fit(np.array(["red", "blue", None, "red", "green"], dtype=object))
    >>> column.names("colour")
    ['colour=red', 'colour=blue', 'colour=green', 'colour=missing']
    >>> column.transform(np.array(["red", None, "pink"], dtype=object))
    array([[1., 0., 0., 0.],
           [0., 0., 0., 1.],
           [0., 0., 0., 0.]])
    """

    kind = "category"

    learned: ClassVar[Table] = {
        "levels_": Each(Value(str)),
        "n_levels_": count(),
        "has_gaps_": Value(bool),
    }

    levels_: list[str]
    n_levels_: int
    has_gaps_: bool

    def fit(self, cells: AnyArray) -> Self:
        """Count the levels."""
        words = as_levels(known_words(cells))
        counts = Counter(word for word in words if word is not None)
        frequent = sorted(counts, key=lambda level: (-counts[level], level))
        self.levels_, self.n_levels_ = frequent[:MOST_LEVELS], len(counts)
        self.has_gaps_ = None in words
        return self

    def transform(self, cells: AnyArray) -> Floats:
        """Return one column a level, then those of missing cells and of all other words, if there are any."""
        places = {level: place for place, level in enumerate(self.levels_)}
        missing, other = len(places), len(places) + 1
        words = as_levels(known_words(cells))
        known = [missing if word is None else places.get(word, other) for word in words]
        indicators = np.zeros((len(known), len(places) + 2))
        indicators[np.arange(len(known)), known] = 1.0
        if self._is_pair:
            return indicators[:, :1] + 0.5 * indicators[:, missing:].sum(axis=1, keepdims=True)
        used = [*range(missing), *[missing] * self.has_gaps_, *[other] * self._has_others]
        return indicators[:, used]

    def names(self, column: str) -> list[str]:
        """Return the name of the column with each of its levels."""
        rest = [MISSING] * self.has_gaps_ + [OTHER] * self._has_others
        levels = self.levels_[:1] if self._is_pair else [*self.levels_, *rest]
        return [f"{column}={level}" for level in levels]

    @property
    def _is_pair(self) -> bool:
        return self.n_levels_ == 2 and not self.has_gaps_

    @property
    def _has_others(self) -> bool:
        return self.n_levels_ > len(self.levels_)


class TextColumn(Column):
    """A text as latent semantic features of its words.

    All words count, also the most frequent ones: which of them matter is not known beforehand.

    Examples
    --------
    >>> texts = np.array(["red wine", "white wine", "red car", "old car"], dtype=object)
    >>> TextColumn().fit(texts).transform(texts).shape
    (4, 3)
    """

    kind = "text"

    learned: ClassVar[Table] = {"words_": Part("TfIdf"), "topics_": Part("LSA")}

    words_: TfIdf
    topics_: LSA

    def fit(self, cells: AnyArray) -> Self:
        """Learn the words and the topics of all texts."""
        self.words_ = TfIdf(min_df=2 if len(cells) > 2 else 1, stop_words=None)
        self.topics_ = LSA(N_TOPICS).fit(self.words_.fit_transform(as_texts(cells)))
        return self

    def transform(self, cells: AnyArray) -> Floats:
        """Return the topics of each text."""
        return self.topics_.transform(self.words_.transform(as_texts(cells)))

    def names(self, column: str) -> list[str]:
        """Return the name of the column with the number of each topic."""
        return [f"{column}: topic {number}" for number in range(1, self.topics_.n_components_ + 1)]


def as_texts(cells: AnyArray) -> list[str]:
    """Return cells as texts, "" where there is none."""
    return [word or "" for word in known_words(cells)]


def _unread(cells: AnyArray, values: Floats) -> list[str]:
    """Return some of the words that could not be read, which count as missing."""
    if cells.dtype.kind in "fM":
        return []
    gaps = zip(known_words(cells), np.isnan(values), strict=True)
    return sorted({word for word, unread in gaps if unread and word is not None})[:3]
