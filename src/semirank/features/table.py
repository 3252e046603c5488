"""Tables as they are: what each column holds is found out, and made into features that any ranker can use."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import AnyArray
from semirank.dataset import RankingDataset
from semirank.dataset.table import ColumnKind, RawTable, as_table
from semirank.features.cells import days_in, known_words, numbers_in
from semirank.features.columns import (
    MOST_LEVELS,
    CategoryColumn,
    Column,
    DateColumn,
    NumberColumn,
    TextColumn,
    as_texts,
)
from semirank.learned import Each, Part, Table, Value
from semirank.limits import Either, Kind, Limit, OneOf, check_limits
from semirank.spelling import option
from semirank.storage import Storable

FEWEST_IDS = 20  # rows, below which it is chance that all cells differ
WORDS_OF_TEXT = 3  # mean number of words in a cell, from which on it is a text
DIFFERENT = "all different"
_IDS = re.compile(r"(.*[\W_])?(id|uuid|guid)|.*[a-z]I[dD]", re.IGNORECASE)
_CLASSES: dict[str, type[Column]] = {
    "number": NumberColumn,
    "category": CategoryColumn,
    "date": DateColumn,
    "text": TextColumn,
}


class TableFeatures(Storable, TransformerMixin, BaseEstimator):
    """Turn a data frame as it is into features.

    What each column holds is told by its cells:

    - **numbers**, also those written as text, with decimal commas or with commas between thousands: as they
      are; missing ones are the median, and a feature of its own says which were missing;
    - **categories**: a feature for each of the 50 most frequent levels, one for missing cells, one for all
      others;
    - **dates**, in ISO's or other usual formats: days since 1970, month and weekday;
    - **texts** (three words a cell or more, mostly different): 10 latent features of their tf-idf vectors. A
      table with nothing but texts stays texts: `transform` returns them, joined, for a ranker of texts;
    - constant and empty columns, words that are different in each row, and numbers that count the rows are
      left out, and `summary` says so.

    Parameters
    ----------
    kinds : mapping of str to {"number", "category", "date", "text"}, optional
        What columns are, where that should not be guessed.

    Attributes
    ----------
    columns_ : dict of str to Column
        What was learned of each column that is used, in the order of the table.
    left_out_ : dict of str to str
        The other columns, and why.
    texts_ : list of str
        Columns of a table of texts alone, which has no other entries in `columns_`.

    See Also
    --------
    Scaling : numbers of any scale.
    semirank.AutoRanker : takes a frame as it is.

    Notes
    -----
    skrub's ``TableVectorizer`` and scikit-learn's ``ColumnTransformer`` do the same and more, but what they
    have learned cannot be put into a model file of plain data.

    Examples
    --------
    >>> import pandas as pd
    >>> from semirank.features import TableFeatures
    >>> people = pd.DataFrame({"age": [31, None, 54], "town": ["Bonn", "Jena", "Bonn"], "unit": "m"})
    >>> features = TableFeatures().fit(people)
    >>> features.summary
    '1 number, 1 category of 2 levels; left out: `unit` (constant)'
    >>> features.transform(people)
    array([[31. ,  0. ,  1. ],
           [42.5,  1. ,  0. ],
           [54. ,  0. ,  1. ]])
    >>> features.get_feature_names_out().tolist()
    ['age', 'age: missing', 'town=Bonn']
    """

    limits: ClassVar[Mapping[str, Limit]] = {
        "kinds": Either(Kind("a mapping of columns to kinds", (dict,)), OneOf(None))
    }

    learned: ClassVar[Table] = {
        "columns_": Each(Part("Column"), of=dict),
        "left_out_": Each(Value(str), of=dict),
        "texts_": Each(Value(str)),
    }

    columns_: dict[str, Column]
    left_out_: dict[str, str]
    texts_: list[str]

    def __init__(self, kinds: Mapping[str, ColumnKind] | None = None) -> None:
        self.kinds = kinds

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find out what each column holds, and learn its features."""
        check_limits(self.limits, self.get_params(deep=False))
        table = _as_table(X)
        declared = {**table.kinds, **(self.kinds or {})}
        if unknown := [name for name in declared if name not in table.columns]:
            raise ValueError(f"{option('kinds')}: there is no column {unknown[0]!r}.")
        found = {name: _kind(name, cells, declared.get(name)) for name, cells in table.columns.items()}
        self.left_out_ = {name: why for name, (kind, why) in found.items() if kind is None}
        kinds = {name: kind for name, (kind, _) in found.items() if kind is not None}
        if not kinds:  # then names and codes are texts: their letters and words are all there is
            kinds = {name: "text" for name, why in self.left_out_.items() if why.endswith(DIFFERENT)}
            self.left_out_ = {name: why for name, why in self.left_out_.items() if name not in kinds}
        if not kinds:
            reasons = "; ".join(f"{name!r}: {why}" for name, why in list(self.left_out_.items())[:5])
            raise ValueError(f"No column is left to rank by ({reasons}).")
        only_texts = set(kinds.values()) == {"text"}
        self.texts_ = list(kinds) if only_texts else []
        self.columns_ = {}
        for name, kind in {} if only_texts else kinds.items():
            try:
                self.columns_[name] = _CLASSES[kind]().fit(table[name])
            except ValueError as error:
                raise ValueError(f"The column {name!r} cannot be a {kind}: {error}") from error
        return self

    def transform(self, X: Any) -> AnyArray:
        """Return the features of each row; of a table of texts alone, the texts."""
        check_is_fitted(self, "columns_")
        table = _as_table(X)
        needed = self.texts_ or list(self.columns_)
        if missing := [name for name in needed if name not in table.columns]:
            others = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise ValueError(f"The table has no column {missing[0]!r}{others}, which was there in fit.")
        if self.texts_:
            return join_texts([as_texts(table[name]) for name in self.texts_])
        return np.hstack([column.transform(table[name]) for name, column in self.columns_.items()])

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """Return the names of the features."""
        check_is_fitted(self, "columns_")
        names = [each for name, column in self.columns_.items() for each in column.names(name)]
        return np.array(names, dtype=object)

    @property
    def is_partial(self) -> bool:
        """Whether a column was left out, or some of its cells could not be read."""
        return bool(self.left_out_) or any(each.remark for each in self.columns_.values())

    @property
    def summary(self) -> str:
        """What was made of which column, in one line."""
        counts = Counter(column.kind for column in self.columns_.values())
        levels = sum(each.n_levels_ for each in self.columns_.values() if isinstance(each, CategoryColumn))
        parts = [
            _count(counts["number"], "number"),
            _count(counts["category"], "category", "categories", f" of {levels} levels"),
            _count(counts["date"], "date"),
            _count(counts["text"] or len(self.texts_), "column of text", "columns of text"),
        ]
        said = [", ".join(filter(None, parts))]
        said += [f"`{name}`: {each.remark}" for name, each in self.columns_.items() if each.remark]
        if self.left_out_:
            left_out = ", ".join(f"`{name}` ({why})" for name, why in self.left_out_.items())
            said.append(f"left out: {left_out}")
        return "; ".join(said)

    @property
    def became(self) -> dict[str, str]:
        """What was made of each column, and why others were left out.

        Examples
        --------
        >>> import pandas as pd
        >>> features = TableFeatures().fit(pd.DataFrame({"town": ["Bonn", "Jena", "Bonn"], "unit": "m"}))
        >>> features.became
        {'town': 'category of 2 levels', 'unit': 'left out: constant'}
        """
        return (
            {
                name: "; ".join(filter(None, (_made(each), each.remark)))
                for name, each in self.columns_.items()
            }
            | dict.fromkeys(self.texts_, "text")
            | {name: f"left out: {why}" for name, why in self.left_out_.items()}
        )


def encode(data: RankingDataset) -> tuple[RankingDataset, TableFeatures | None]:
    """Make features of what the data hold: a table, or numbers some of which are missing.

    A table of texts alone becomes texts. Data that rankers can use come back as they are, with None.
    """
    if data.table is None and not has_gaps(data):
        return data, None
    table = table_of(data)
    features = TableFeatures().fit(table)
    made = features.transform(table)
    if features.texts_:
        return data.replace(X=np.zeros((data.n_items, 0)), texts=made), features
    return data.replace(X=made, texts=None, feature_names=list(features.get_feature_names_out())), features


def table_of(data: RankingDataset) -> RawTable:
    """Return the table of the data, or their features as one, all of them numbers."""
    if data.table is not None:
        return data.table
    names = data.feature_names or tuple(f"f{number}" for number in range(1, data.n_features + 1))
    columns = np.asarray(data.X, dtype=np.float64).T
    return RawTable(dict(zip(names, columns, strict=True)), dict.fromkeys(names, "number"))


def join_texts(columns: list[list[str]]) -> AnyArray:
    """Join the texts of several columns, a blank line between them."""
    texts = np.empty(len(columns[0]), dtype=object)
    texts[:] = ["\n\n".join(filter(None, parts)) for parts in zip(*columns, strict=True)]
    return texts


def has_gaps(data: RankingDataset) -> bool:
    """Tell whether dense features are missing."""
    return isinstance(data.X, np.ndarray) and bool(np.isnan(data.X).any())


def _as_table(X: Any) -> RawTable:
    table = as_table(X)
    if table is None:
        raise ValueError(f"TableFeatures takes a data frame; got {type(X).__name__}.")
    if not table.columns or len(table) == 0:
        raise ValueError("The table has no columns." if not table.columns else "The table has no rows.")
    for name, cells in table.columns.items():
        if cells.dtype.kind == "f" and np.isinf(cells).any():
            row = int(np.argmax(np.isinf(cells)))
            raise ValueError(
                f"The column {name!r} is infinite in row {row}. Put a number or an empty cell there, or "
                f"leave the column out: {option('drop', [name])}."
            )
    return table


def _kind(name: str, cells: AnyArray, declared: str | None) -> tuple[str | None, str]:
    """Tell what a column is; None with the reason why it is left out."""
    if declared is not None:
        if declared not in _CLASSES:
            raise ValueError(f"{option('kinds')}: {name!r} must be {', '.join(_CLASSES)}; got {declared!r}.")
        return declared, "declared"
    words = known_words(cells)
    levels = set(words)
    if levels == {None}:
        return None, "empty"
    if len(levels) == 1:
        return None, "constant"
    if cells.dtype.kind == "M":
        return "date", ""
    numbers = (cells, "") if cells.dtype.kind == "f" else numbers_in(words)
    if numbers is not None:
        return (None, "it counts the rows") if are_ids(name, numbers[0]) else ("number", "")
    return ("date", "") if days_in(words) is not None else _kind_of_words(words)


def are_ids(name: str, numbers: AnyArray) -> bool:
    """Tell whether whole numbers, different in each row, have no gap or are called ids."""
    if len(numbers) < FEWEST_IDS or np.isnan(numbers).any() or (numbers != np.floor(numbers)).any():
        return False
    if len(np.unique(numbers)) < len(numbers):
        return False
    return bool(np.ptp(numbers) == len(numbers) - 1 or _IDS.fullmatch(name))


def _kind_of_words(words: list[str | None]) -> tuple[str | None, str]:
    known = [word for word in words if word is not None]
    counts = Counter(known)
    length = np.mean([len(word.split()) for word in counts])
    if length >= WORDS_OF_TEXT and len(counts) > max(0.5 * len(known), min(len(known), MOST_LEVELS) / 2):
        return "text", ""
    if len(known) >= FEWEST_IDS and len(counts) == len(known):
        return None, DIFFERENT
    if len(known) >= FEWEST_IDS and len(counts) > 0.95 * len(known):
        return None, f"nearly {DIFFERENT}"
    return "category", ""


def _count(count: int, one: str, several: str | None = None, more: str = "") -> str:
    return f"{count} {one if count == 1 else several or f'{one}s'}{more}" if count else ""


def _made(column: Column) -> str:
    return f"category of {column.n_levels_} levels" if isinstance(column, CategoryColumn) else column.kind
