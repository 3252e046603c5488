"""AutoRanker: the ranker that held-out labels recommend, chosen and fitted in one call."""

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from semirank import display
from semirank.core.arrays import AnyArray, Booleans, Floats
from semirank.dataset import DataWarning, RankingDataset
from semirank.dataset.table import RawTable, as_table
from semirank.features.lsa import sharing_lsa
from semirank.features.scaling import Scaling
from semirank.features.table import TableFeatures, are_ids, encode, table_of
from semirank.features.text_features import TextFeatures
from semirank.features.tfidf import TfIdf, check_texts
from semirank.learned import AnyOf, Number, Part, Table, Value
from semirank.limits import FLAG, Between, Either, Limit, OneOf
from semirank.meta.empty_texts import find_empty, lowest
from semirank.meta.members import Rankers
from semirank.meta.text import Words, name_words
from semirank.metrics.notation import MetricName
from semirank.rankers._base import Contributions, Ranker
from semirank.rankers.assumptions import CHOSEN
from semirank.rankers.formulas import Formula, Scaled
from semirank.registry import ranker_names
from semirank.results.comparison import Choice
from semirank.results.result import Result
from semirank.results.sentences import about_choice, about_protocol
from semirank.selection.catalogue import MIX, MIX_WITH_UNLABELLED, Catalogue, catalogue
from semirank.selection.compare import AUTO, are_alike, experiment, prepare
from semirank.selection.label_source import too_few, unlabelled_as
from semirank.selection.protocols import choose_protocol
from semirank.selection.summary import spell
from semirank.spelling import option


class Candidates:
    """Rankers, by name or themselves, or None."""

    def __contains__(self, value: object) -> bool:
        if value is None:
            return True
        if not isinstance(value, (list, tuple)) or len(value) == 0:
            return False
        names = ranker_names()
        return all(entry in names if isinstance(entry, str) else [entry] in Rankers() for entry in value)

    def __str__(self) -> str:
        return "a sequence of names of rankers, rankers or (name, ranker) pairs, or None"

    def parse(self, text: str) -> Any:
        """Read names with commas between them, or None."""
        return None if text.lower() == "none" else text.split(",")


class Word:
    """A name."""

    def __contains__(self, value: object) -> bool:
        return isinstance(value, str) and value != ""

    def __str__(self) -> str:
        return "a name"

    def parse(self, text: str) -> str:
        """Take the text as it is."""
        return text


class AutoRanker(Ranker):
    """Choose a ranker by held-out labels, and use unlabelled items only where that is shown to help.

    The rankers that suit the kind of data are fitted on a part of the labels, with all items there to learn
    from, and measured on the rest. The best one that learns from labels alone stands; one that uses
    unlabelled items takes its place only through the gate:

    - it must be better with unlabelled items than without any, by more than a standard error;
    - it must be better than every ranker that learns from labels alone: beyond chance, by a test that is
      corrected for the number of rankers tried, or at all if it has done well on other data of this kind.

    What was chosen is fitted again on all labels. Where labels are too few to hold any out, the usual choice
    for the kind of data is taken, and `verdict_` says that this is experience and not evidence.

    Parameters
    ----------
    time_budget : float, optional
        Seconds for the choice. The usual rankers are tried in any case, others while there is time. None:
        all are tried.
    metric : str
        What to choose by, in the notation of `semirank.metrics`. "auto": nDCG where whole lists are held
        out, AUC where items are.
    candidates : sequence of str, Ranker or (name, ranker) pairs, optional
        What to try instead; the first that learns from labels alone is the one that stays unless another
        is better. Baselines are added. None: what suits the data.
    choice : str, optional
        Take the candidate of this name, as a leaderboard spells it ("graph", "mix", "words, margin"), instead
        of choosing one. Weights of a mixture are still found by held-out labels.
    thorough : bool
        Without `candidates`: also try rankers that take long.
    random_state : int
        Seed of all that is drawn. Same seed, same choice, unless time runs out.
    n_jobs : int, optional
        Number of processes that try rankers, -1: one for each core that this process may use. None: this one.

    Attributes
    ----------
    ranker_ : Ranker
        The chosen ranker, fitted on all labels.
    choice_ : dict
        What was chosen and why, as data: the fields of `semirank.results.comparison.Choice`, among them name,
        ranker and reason ("proven", "trusted", "labels" or "few labels").
    verdict_ : str
        The same in words.
    leaderboard_ : list of dict
        One row for each ranker that was tried, the best first: name, ranker, what it assumes about unlabelled
        items (None: nothing), mean of the metric, difference to the best supervised ranker, p-value, seconds,
        and why it could not be measured. Empty where labels were too few.
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    protocol_ : str
        What was held out, and why.
    table_ : TableFeatures or None
        What turns a data frame into features; its `summary` says what was made of which column. None where
        X was numbers without gaps, or texts.
    features_ : TextFeatures, TfIdf, Scaling or None
        What turns texts into features, or brings features to a common scale.
    lowest_ : float
        The score of an empty text.

    See Also
    --------
    compare : the experiment behind the choice, with its tests.
    Blend : a mix with weights of yours.
    ScreeningRanker : for texts that are read from the top.

    Notes
    -----
    Some ten fits of each candidate. Graphs are built once for all of them, and rankers with a closed form for
    left-out labels choose their own parameters by it inside each fit.

    It takes six labelled lists, or in one list fifteen labels of relevant items, to choose. Held-out relevant
    items are ranked among held-out irrelevant ones; where there are fewer than fifteen of these, or they
    were asked for from the top of a ranking, among all unlabelled items, provided that these are many.

    Examples
    --------
    >>> import semirank
    >>> from semirank import AutoRanker
    >>> moons = semirank.load("moons", noise=0.05, random_state=0)
    >>> few = moons.hide_labels(keep=4, keep_levels=True, random_state=0)
    >>> auto = semirank.AutoRanker().fit(few.X, few.y)
    >>> print(auto.verdict_[:63])
    mix with unlabelled items: the usual choice for items with colu
    >>> semirank.metrics.auc(moons.y, auto.scores_).round(1)
    array([0.9])
    """

    assumption = CHOSEN
    takes_texts = True

    called = "automatic choice"
    limits: ClassVar[Mapping[str, Limit]] = {
        "time_budget": Either(Between(0, closed="neither"), OneOf(None)),
        "metric": MetricName(AUTO),
        "candidates": Candidates(),
        "choice": Either(OneOf(None), Word()),
        "thorough": FLAG,
        "random_state": Between(0, 2**32 - 1, Integral),
        "n_jobs": Either(Between(-1, kind=Integral), OneOf(None)),
    }

    learned: ClassVar[Table] = Ranker.learned | {
        "ranker_": Part("Ranker"),
        "choice_": Value(dict),
        "verdict_": Value(str),
        "leaderboard_": Value(list),
        "protocol_": Value(str),
        "table_": AnyOf(None, Part("TableFeatures")),
        "features_": AnyOf(None, Part("TextFeatures", "TfIdf", "Scaling")),
        "lowest_": Number(),
    }

    ranker_: Ranker
    choice_: dict[str, Any]
    verdict_: str
    leaderboard_: list[dict[str, Any]]
    protocol_: str
    table_: TableFeatures | None
    features_: TextFeatures | TfIdf | Scaling | None
    lowest_: float
    _given: tuple[Any, AnyArray]
    _empty: Booleans

    def __init__(
        self,
        time_budget: float | None = None,
        metric: str = "auto",
        candidates: Any = None,
        *,
        choice: str | None = None,
        thorough: bool = False,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.time_budget = time_budget
        self.metric = metric
        self.candidates = candidates
        self.choice = choice
        self.thorough = thorough
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, qid: Any = None) -> Self:
        """Choose a ranker by held-out labels, and fit it on all labels.

        X is an array, a sparse matrix, a data frame with columns of any kind, or a sequence of texts.
        """
        given = as_dataset(X, y, qid)
        data, self.table_ = encode(given)
        self._check(np.zeros((data.n_items, 1)) if data.texts is not None else data.X, data.y, data.qid)
        self._remember_features(given)
        warn_of_minus_one(data.y)
        data, self.features_ = prepare(data, self.candidates)
        rows = np.argsort(given.order)  # the ranker gets the caller's order, so that `explain` speaks of it
        self._empty = np.zeros(len(rows), dtype=bool) if data.texts is None else find_empty(data.texts[rows])
        with sharing_lsa():
            choice, choices = self._choose(data)
            self.choice_ = choice.to_dict()
            chosen = clone(choices.named(choice.name).ranker)
            self._given = data.X[rows], data.qid[rows]
            with _in_own_words():
                self.ranker_ = chosen.fit(self._given[0], data.y[rows], self._given[1])
        return self._place_empty()

    def rerank(self, y: Any) -> Self:
        """Rank the fitted items anew from other labels, by the ranker that was chosen; the choice stays.

        Parameters
        ----------
        y : array of shape (n_items,)
            All labels, old and new, in the order in which the items were given to `fit`.
        """
        self._check_fitted_here()
        X, qid = self._given
        with _in_own_words():
            self.ranker_._refit(X, y, qid)
        return self._place_empty()

    def _place_empty(self) -> Self:
        """Take over the scores of the chosen ranker, and rank empty texts last."""
        self.lowest_ = lowest(self.ranker_.scores_)
        self.scores_ = np.where(self._empty, self.lowest_, self.ranker_.scores_)
        return self

    def supervised(self) -> None:
        """Return None: it chooses among rankers with and without unlabelled items by itself."""
        return

    def predict(self, X: Any, qid: Any = None) -> Floats:
        """Score new items with the chosen ranker."""
        check_is_fitted(self, "ranker_")
        texts = isinstance(self.features_, (TextFeatures, TfIdf))
        if self.table_ is None and not texts:
            if isinstance(X, RawTable):
                raise ValueError(
                    f"The model ranks {self.n_features_in_} numbers; the table has words or gaps."
                )
            data = self._check_new(X, qid)
            made = data.X
        else:
            data = as_dataset(X, None, qid, new=True)
            made = self._texts(data) if self.table_ is None else self.table_.transform(table_of(data))
        ready = made if self.features_ is None else self.features_.transform(made)
        scores = self.ranker_.predict(ready, data.qid)
        return data.restore(np.where(find_empty(made), self.lowest_, scores) if texts else scores)

    def formula(self) -> Formula:
        """Return that of the chosen ranker, behind the scaling; texts and tables have none."""
        check_is_fitted(self, "ranker_")
        if self.table_ is not None or isinstance(self.features_, (TextFeatures, TfIdf)):
            what = "texts" if self.table_ is None else "a table of words, dates or gaps"
            raise ValueError(
                f"The model ranks {what}, and a formula takes numbers alone. Make features of them yourself, "
                "and fit a ranker on these."
            )
        inner = self.ranker_.formula()
        if not isinstance(self.features_, Scaling):
            return inner
        limit = self.features_.limit if self.features_.kind_ == "columns" else None
        return Scaled(self.features_.centres_, self.features_.factors_, limit, inner)

    def _texts(self, data: RankingDataset) -> AnyArray:
        if data.texts is None and data.table is not None:
            return TableFeatures(dict.fromkeys(data.table.columns, "text")).fit_transform(data.table)
        if data.texts is None:
            raise ValueError("This AutoRanker ranks texts: X must be a sequence of texts, one for each item.")
        return data.texts

    def explain(self, item: int) -> Contributions:
        """Split the score of a fitted item into contributions of labelled items, where the ranker can."""
        check_is_fitted(self, "ranker_")
        return self.ranker_.explain(item)

    def explain_words(self, item: int) -> Words:
        """Split the score of a fitted text into contributions of its words, where the ranker weighs them."""
        check_is_fitted(self, "ranker_")
        if not isinstance(self.features_, (TextFeatures, TfIdf)):
            raise ValueError("These items are no texts, so there are no words to explain a score by.")
        return name_words(self.ranker_.explain_features(item), self.features_.get_feature_names_out())

    def _choose(self, data: RankingDataset) -> tuple[Choice, Catalogue]:
        """Choose among what suits the data, or take what was asked for."""
        thorough = self.thorough or self.choice is not None
        choices = catalogue(
            data,
            self.candidates,
            alike=are_alike(self.features_),
            thorough=thorough,
            random_state=self.random_state,
        )
        if self.choice is None:
            choices = choices.without_unlabelled() if data.labelled.all() else choices
            return self._compare(data, choices)
        if self.choice in (MIX, MIX_WITH_UNLABELLED) and choices.mix:
            _, choices = self._compare(data, choices.only_mixed())
        else:
            self.leaderboard_, self.protocol_ = [], "Nothing was held out."
        names = [each.name for each in choices.candidates]
        if self.choice not in names:
            mixtures = [MIX, MIX_WITH_UNLABELLED] if choices.mix else []
            known = ", ".join(map(repr, dict.fromkeys([*names, *mixtures])))
            raise ValueError(f"There is no candidate {self.choice!r} for these data. There are {known}.")
        taken = choices.named(self.choice)
        words = taken.ranker.in_words()
        choice = Choice(
            taken.name, spell(taken.ranker), "asked for", choices.kind, taken.assumption, words=words
        )
        self.verdict_ = about_choice(choice, "", 0)
        return choice, choices

    def _compare(self, data: RankingDataset, choices: Catalogue) -> tuple[Choice, Catalogue]:
        """Compare the candidates on held-out labels; where these are few, only those that are mixed."""
        way = choose_protocol(data).name
        reading = unlabelled_as(data, way)
        few = too_few(data, way, reading)
        found, choices = experiment(
            data,
            choices.only_mixed() if few else choices,
            self.metric,
            keep=None,
            unlabelled=reading,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            time_budget=self.time_budget,
        )
        if found.choice is None or (found.problem is not None and found.protocol is not None):
            reasons = "; ".join(f"{each.name}: {each.reason}" for each in found.results)
            raise ValueError(
                found.problem or f"No ranker that learns from labels could be measured. {reasons}"
            )
        self.leaderboard_ = [_row(each) for each in found.results]
        n_labels = int(data.labelled.sum())
        self.verdict_ = about_choice(found.choice, found.metric, n_labels)
        self.protocol_ = "Labels are too few to hold some out."
        if found.protocol is not None:
            self.protocol_ = about_protocol(found.protocol)[0]
        return found.choice, choices

    def _new_items(self, X: Any, y: Any, qid: Any) -> RankingDataset:
        return as_dataset(X, y, qid)

    def _remember_features(self, data: RankingDataset) -> None:
        super()._remember_features(data)
        if data.texts is not None:
            self.n_features_in_ = 1
        if data.table is not None:
            self.n_features_in_ = len(data.table.columns)
            self.feature_names_in_ = np.array(list(data.table.columns), dtype=object)

    def _repr_html_(self) -> str:
        """Show the choice and its reason, where there is one."""
        if not hasattr(self, "choice_"):
            return super()._repr_html_()
        rows = [
            {
                "candidate": each["name"],
                "mean": None if each["mean"] is None else f"{each['mean']:.3f}",
                "uses unlabelled items": each["verdict"] or ("no" if each["assumption"] is None else "yes"),
                "ranker": each["ranker"],
            }
            for each in self.leaderboard_
        ]
        title = f"AutoRanker has chosen {self.choice_.get('words') or self.choice_['name']}"
        return display.card(title, display.paragraph(self.verdict_), display.table(rows) if rows else "")

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        """Show the same where a notebook asks in its newer way."""
        bundle = super()._repr_mimebundle_(**options)
        return bundle | {"text/html": self._repr_html_()} if hasattr(self, "choice_") else bundle

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


def as_dataset(X: Any, y: Any, qid: Any, *, new: bool = False) -> RankingDataset:
    """Return items of any kind as data: texts stay texts, a data frame with more than plain numbers a table.

    New items have no labels. A column `qid` of a data frame names the lists, where they are not given.
    """
    table = as_table(X)
    n_items = len(table) if table is not None else X.shape[0] if hasattr(X, "shape") else len(X)
    y = np.full(n_items, np.nan) if new else y
    if table is not None:
        columns = {name: cells for name, cells in table.columns.items() if name != "qid"}
        kinds = {name: kind for name, kind in table.kinds.items() if name in columns}
        qid = table["qid"] if qid is None and "qid" in table.columns else qid
        if columns and not all(_is_plain(name, cells) for name, cells in columns.items()):
            return RankingDataset(np.zeros((n_items, 0)), y, qid, table=RawTable(columns, kinds))
        X = np.column_stack(list(columns.values())) if columns else np.zeros((n_items, 0))
        return RankingDataset(X, y, qid, feature_names=list(columns))
    if are_texts(X):
        texts = np.array(check_texts(X), dtype=object)
        return RankingDataset(np.zeros((n_items, 0)), y, qid, texts=texts)
    return RankingDataset(X, y, qid)


def _is_plain(name: str, cells: AnyArray) -> bool:
    """Tell whether a column is a feature as it stands: numbers without gaps that are no ids."""
    return cells.dtype.kind == "f" and not np.isnan(cells).any() and not are_ids(name, cells)


def warn_of_minus_one(y: Floats) -> None:
    """Warn of labels -1 that may mean "unlabelled", as they do in files.

    They are clear where some items are unlabelled (NaN) and all other labels are -1 and above 0.
    """
    known = y[~np.isnan(y)]
    marked = int((known == -1).sum())
    clear = len(known) < len(y) and not (known == 0).any()
    said = option("unlabelled", -1, python="so by NaN: y = np.where(y == -1, np.nan, y)")
    if marked and (known >= 0).sum() == len(known) - marked and not clear:
        warnings.warn(
            f"{marked} labels are -1 and all others at least 0. They are taken as labels, worse than 0. If "
            f"they mean 'unlabelled', as they would in a file, say {said}.",
            DataWarning,
            stacklevel=3,
        )


@contextmanager
def _in_own_words() -> Iterator[None]:
    """Pass warnings of the chosen ranker on, without advice on parameters that AutoRanker does not have."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for each in caught:
        words = re.sub(r"(?<=\.) [A-Z][^.]*\bn_neighbors\b[^.]*\.", "", str(each.message))
        warnings.warn(words, each.category, stacklevel=4)


def are_texts(X: Any) -> bool:
    """Tell whether items are texts: a sequence or one column of them."""
    if issparse(X) or getattr(X, "ndim", 1) != 1 or not isinstance(X, Iterable):
        return False
    return any(isinstance(text, str) for text in islice(X, 100))


def _row(result: Result) -> dict[str, Any]:
    contrast = result.contrast_best
    return {
        "name": result.name,
        "ranker": result.ranker,
        "assumption": result.assumption,
        "mean": result.mean,
        "difference": contrast.difference if contrast else None,
        "p_adjusted": contrast.p_adjusted if contrast else None,
        "verdict": contrast.verdict if contrast else None,
        "seconds": result.fit_seconds,
        "reason": result.reason,
    }
