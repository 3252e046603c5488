"""A ranker for people who read from the top: texts, relevant or not, ranked anew after every label."""

import warnings
from collections.abc import Mapping
from itertools import pairwise
from numbers import Integral
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.preprocessing import normalize
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers
from semirank.dataset import DataWarning, RankingDataset, check_labels
from semirank.features import TfIdf, WordPairs
from semirank.graphs.neighbours import check_lists
from semirank.learned import AnyOf, Array, Names, Part, Table
from semirank.limits import Between, Either, Kind, Limit, OneOf, check_limits
from semirank.meta.mixing import centres_and_spreads, inverse
from semirank.meta.text import Words, name_words, texts_of
from semirank.rankers._base import CONSTANT, Contributions, FeatureContributions, Ranker, added_up
from semirank.rankers.assumptions import MANIFOLD, MOSTLY_IRRELEVANT
from semirank.rankers.manifold import ManifoldRanking
from semirank.rankers.solvers.examples import Background, Rows, ridge_duals

DIGITS = 9
TOPICAL = 0.1  # share of the texts, or
TOPICAL_TEXTS = 10  # so many of few, beyond which a word says little of what a text is about


class _Model(NamedTuple):
    """What one list has learned: from which rows (`CONSTANT`: the background), a with w = sum_i a_i x_i."""

    rows: Integers
    duals: Floats


class ScreeningRanker(Ranker):
    """Rank texts for a reader who starts at the top, labels what is read, and has all ranked anew.

    Words and pairs of words are weighed by least squares; labels y > 0 are targets of 1
    and others of -1 ::

        (|w|^2 + b^2) / 2 + C sum_i c_i (s_i - x_i'w - b)^2,

    with weights c_i that let the relevant items count `balance` times as much as the irrelevant ones, and
    have a mean of 1. The mean of all texts is one more irrelevant example, of weight `background` for each
    part of the irrelevant ones: it says from the first label on what all texts have in common. As long as no
    relevant text has a word (a record without title and abstract), that mean is all that is known of what is
    looked for, and is the relevant example.

    While relevant labels are few, a second order is made of what spreads from them over the graph of texts
    that share topical words, those of at most a tenth of the texts (`ManifoldRanking`), and both are fused
    [2]_: an item that stands at rank r (from 0) in one and at rank q in the other is ranked by
    ``1 / (1 + r) + g / (1 + q)``, with ``g = graph (1 - n / until)`` for n relevant labels. The best of
    either order are read soon, so that a bad first example costs little whichever order it has misled.

    Each list is ranked by its own labels; one without any, by those of all lists.

    Parameters
    ----------
    C : float
        Cost of errors against small weights. So small that labels are averaged rather than separated.
    balance : float
        How much the relevant items weigh together for each part that the irrelevant ones do.
    background : float
        Weight of the mean of all texts as an irrelevant example. 0: the mean is not used at all.
    graph : float
        Weight of the graph before the first relevant label. 0: no graph.
    until : int
        The number of relevant labels from which the graph is silent.
    features : WordPairs or TfIdf, optional
        How a text becomes features; a copy is fitted. None: `WordPairs()`.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the texts given to `fit`, in the caller's order. Of an empty text nothing is known: it has
        the mean score of the others, and is read long before what speaks against itself.
    features_ : WordPairs or TfIdf
        The fitted features.
    graph_ : ManifoldRanking or None
        The fitted graph.
    coefs_, intercepts_ : float64 arrays of shape (n_lists, n_features) and (n_lists,)
        The weights of each list.
    centres_, factors_ : float64 arrays of shape (n_lists,)
        Mean of the weighed words in each list, and 1 / standard deviation.
    weights_ : float64 array of shape (n_lists,)
        The weight g of the graph in each list.
    columns_ : float64 array of shape (n_items, 2)
        What words and graph say, items list by list.
    unlabelled_ : bool array of shape (n_items,)
        Which of these have no label: among them items are ranked.

    See Also
    --------
    TextRanker : any ranker on words.
    semirank.feedback.Engine : the loop around it.
    semirank.stopping.hypergeometric : how much has been found.

    Notes
    -----
    `rerank` keeps features and graph, and gives the scores of a new `fit` to the last bit: a label costs some
    ten products with the labelled rows and one with all rows. With C this small no label of a review is
    ever fitted beyond 1, so that the squared hinge loss of [1]_ and least squares are the same.

    References
    ----------
    .. [1] J. de Bruin et al. ASReview LAB v.2: open-source text screening with multiple agents and a crowd of
       experts. Patterns, 2025. Its default, a linear support vector machine on words and pairs of words with
       C = 0.11 and weights of 9.8 : 1, is where C and `balance` come from.
    .. [2] G. V. Cormack, C. L. A. Clarke, S. Büttcher. Reciprocal rank fusion outperforms Condorcet and
       individual rank learning methods. SIGIR 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import ScreeningRanker
    >>> texts = ["heart failure trial", "failing hearts", "kidney stones", "trial of diets", "kidney failure"]
    >>> ranker = ScreeningRanker().fit(texts, [1, np.nan, 0, np.nan, np.nan])
    >>> np.argsort(-ranker.scores_)
    array([0, 3, 4, 1, 2])
    """

    called = "screening of texts"
    limits: ClassVar[Mapping[str, Limit]] = {
        "C": Between(1e-12, 1e12),
        "balance": Between(1e-12, 1e12),
        "background": Between(0, 1e12),
        "graph": Between(0, 1e12),
        "until": Between(1, kind=Integral),
        "features": Either(Kind("a WordPairs or TfIdf", (WordPairs, TfIdf)), OneOf(None)),
    }
    learned: ClassVar[Table] = Ranker.learned | {
        "features_": Part("WordPairs", "TfIdf"),
        "graph_": AnyOf(None, Part("ManifoldRanking")),
        "list_ids_": Names("n_lists"),
        "indptr_": Array("n_lists + 1", dtype="int64", low=0),
        "coefs_": Array("n_lists", "n_terms"),
        "intercepts_": Array("n_lists"),
        "centres_": Array("n_lists"),
        "factors_": Array("n_lists"),
        "weights_": Array("n_lists", low=0),
        "columns_": Array("n_items", 2),
        "unlabelled_": Array("n_items", dtype="bool"),
    }
    takes_texts = True
    takes_sparse = False
    one_function = False

    features_: WordPairs | TfIdf
    graph_: ManifoldRanking | None
    coefs_: Floats
    intercepts_: Floats
    centres_: Floats
    factors_: Floats
    weights_: Floats
    columns_: Floats
    unlabelled_: Booleans
    indptr_: Integers
    list_ids_: AnyArray
    _vectors: csr_array
    _means: Floats
    _alone: Floats
    _empty: Booleans
    _lists: RankingDataset
    _models: list[_Model]

    def __init__(
        self,
        C: float = 0.11,
        balance: float = 9.8,
        *,
        background: float = 0.3,
        graph: float = 0.5,
        until: int = 8,
        features: WordPairs | TfIdf | None = None,
    ) -> None:
        self.C = C
        self.balance = balance
        self.background = background
        self.graph = graph
        self.until = until
        self.features = features

    @property
    def assumption(self) -> str | None:
        """What the graph assumes, or else the background; None where there is neither."""
        return MANIFOLD if self.graph else MOSTLY_IRRELEVANT if self.background else None

    def supervised(self) -> Ranker:
        """Return the ranker without background and graph."""
        return clone(self).set_params(background=0.0, graph=0.0) if self.assumption else self

    def fit(self, X: Any, y: Any, qid: Any = None) -> Self:
        """Learn features and graph from all texts, and rank them by the labels."""
        check_limits(self.limits, self.get_params(deep=False))
        return self._learn_texts(texts_of(X), y, qid).rerank(y)

    def fit_graph(self, X: Any, qid: Any = None) -> Self:
        """Learn features and graph only; labels come later, through `rerank`."""
        check_limits(self.limits, self.get_params(deep=False))
        texts = texts_of(X)
        return self._learn_texts(texts, np.full(len(texts), np.nan), qid)

    def _learn_texts(self, texts: AnyArray, y: Any, qid: Any) -> Self:
        self._lists = RankingDataset(np.zeros((len(texts), 0)), y, qid)
        self.features_ = WordPairs() if self.features is None else clone(self.features)
        vectors, order = self.features_.fit_transform(texts), self._lists.order
        self._vectors = vectors[order]
        self._empty = _without_terms(self._vectors)
        self._means, self._alone = self._list_means(), _lengths_missing(self._vectors)
        self.n_features_in_, self.n_lists_ = 1, self._lists.n_lists
        self.indptr_, self.list_ids_ = self._lists.indptr, self._lists.list_ids
        self.graph_ = self._build_graph(vectors, qid)
        return self

    def rerank(self, y: Any) -> Self:
        """Rank the fitted texts anew from other labels: the scores of a new `fit`.

        Parameters
        ----------
        y : array of shape (n_items,)
            All labels, old and new, in the order in which the texts were given to `fit`.
        """
        self._check_fitted_here("_vectors")
        labels = check_labels(y, self._lists.n_items)
        if np.isnan(labels).all():
            raise ValueError(
                f"ScreeningRanker needs at least one label; y is NaN (unlabelled) for all {len(labels)} "
                "items."
            )
        signs = self._lists.arrange(np.where(np.isnan(labels), np.nan, np.where(labels > 0, 1.0, -1.0)))
        self._learn(signs)
        return self._mix(labels, signs)

    def _refit(self, X: Any, y: Any, qid: Any) -> Self:
        return self.rerank(y)

    def _fit_unlabelled(self, X: Any, qid: Any) -> bool:
        self.fit_graph(X, qid)
        return True

    def predict(self, X: Any, qid: Any = None) -> Floats:
        """Score new texts as if they stood among those of their list; of a new list, by the mean of all."""
        check_is_fitted(self, "scores_")
        texts = texts_of(X)
        data = RankingDataset(np.zeros((len(texts), 0)), np.full(len(texts), np.nan), qid)
        vectors = self.features_.transform(texts)
        spread = np.zeros(len(texts))
        if self.graph_ is not None and self.weights_.any():
            spread = data.arrange(self.graph_.predict(self._topical(vectors), qid))
        vectors = vectors[data.order]
        number = {name: k for k, name in enumerate(self.list_ids_.tolist())}
        scores = np.zeros(len(texts))
        for name, (start, stop) in zip(data.list_ids.tolist(), pairwise(data.indptr), strict=True):
            part = slice(start, stop)
            scores[part] = self._score_new(vectors[part], spread[part], number.get(name))
        return data.restore(scores)

    def _score_new(self, vectors: csr_array, spread: Floats, number: int | None) -> Floats:
        known = ~_without_terms(vectors)
        if number is None:
            words = vectors @ self.coefs_.mean(axis=0) + self.intercepts_.mean()
            return known * (words - self.centres_.mean()) * self.factors_.mean()
        words = vectors @ self.coefs_[number] + self.intercepts_[number]
        words = known * (words - self.centres_[number]) * self.factors_[number]
        among = self._fused(number)
        return among.score(np.column_stack([words, spread]))

    def _check_state(self) -> None:
        super()._check_state()
        check_lists(self.indptr_, len(self.scores_))

    def explain(self, item: int) -> Contributions:
        """Split the score of a fitted text into the contributions of the labelled texts.

        What the background adds, and the means that were subtracted, are the constant.

        Parameters
        ----------
        item : int
            Row number, as given to `fit`.
        """
        place, number = self._place(item)
        model, mean = self._models[number], self._means[number]
        x = mean if self._empty[place] else self._vectors[[place]].toarray().ravel()
        own = model.rows != CONSTANT
        likeness = np.full(len(own), x @ mean)
        likeness[own] = Rows(self._vectors, model.rows[own]).times(x)
        items = np.where(own, self._lists.order[model.rows], CONSTANT)
        words = self.factors_[number] * model.duals * (likeness + 1.0)
        lifted = self._lift(item, place)
        return Contributions(
            *added_up(
                np.concatenate([items, lifted.items, [CONSTANT]]),
                np.concatenate([words, lifted.amounts, [-self.factors_[number] * self.centres_[number]]]),
            )
        )

    def _lift(self, item: int, place: int) -> Contributions:
        """Say what the graph has done: a better place is due to the labels that reach the item over it."""
        lift = self.scores_[item] - self.columns_[place, 0]
        if lift > 0 and self.graph_ is not None:
            spread = self.graph_.explain(item)
            if (total := spread.amounts.sum()) > 0:
                return Contributions(spread.items, lift * spread.amounts / total)
        return Contributions(np.array([CONSTANT]), np.array([lift]))

    def explain_features(self, item: int) -> FeatureContributions:
        """Split the score of a fitted text into contributions of its terms; the graph is in the constant."""
        place, number = self._place(item)
        x, factor = self._vectors[[place]], self.factors_[number]
        amounts = factor * x.data * self.coefs_[number][x.indices]
        constant = self.scores_[item] - amounts.sum()
        return FeatureContributions(np.append(x.indices, CONSTANT), np.append(amounts, constant))

    def explain_words(self, item: int) -> Words:
        """Split the score of a fitted text into contributions of its words and pairs of words.

        Parameters
        ----------
        item : int
            Row number, as given to `fit`.

        Returns
        -------
        Words
            Terms as the features spell them, in lower case, and amounts that add up to
            the score; "" is what no word accounts for.
        """
        return name_words(self.explain_features(item), self.features_.get_feature_names_out())

    def _build_graph(self, vectors: csr_array, qid: Any) -> ManifoldRanking | None:
        """Join texts that share topical words; no graph where no such word occurs in two texts."""
        if not self.graph or not len(self._topics()):
            return None
        graph = ManifoldRanking(distance="cosine", combine="log", alpha=0.9, degree_correction=0.0)
        return graph.fit_graph(self._topical(vectors), qid)

    def _topical(self, vectors: csr_array) -> csr_array:
        return csr_array(normalize(vectors[:, self._topics()]))

    def _topics(self) -> Integers:
        """Return the columns of words of few enough texts to say what one is about."""
        n_texts, idf = self.indptr_[-1], self.features_.idf_
        most = max(TOPICAL * n_texts, TOPICAL_TEXTS)
        if isinstance(self.features_, WordPairs):
            idf = idf[: len(idf) - len(self.features_.pairs_)]
        return np.flatnonzero(idf >= 1.0 + np.log((1.0 + n_texts) / (1.0 + most)))

    def _list_means(self) -> Floats:
        """Return the mean text of each list, without empty ones."""
        sums = [
            Rows(self._vectors, np.arange(start, stop)).sum(np.ones(stop - start))
            for start, stop in pairwise(self._lists.indptr)
        ]
        return np.array(sums) / np.maximum(self._lists.list_sums(~self._empty), 1)[:, None]

    def _learn(self, signs: Floats) -> None:
        """Weigh the words of each list by its own labels, or by those of all lists where it has none."""
        known = np.flatnonzero(~np.isnan(signs))
        everywhere: _Model | None = None
        self._models = []
        for k, (start, stop) in enumerate(pairwise(self._lists.indptr)):
            own = known[(known >= start) & (known < stop)]
            if len(own):
                self._models.append(self._solve(own, signs[own], k))
            else:
                everywhere = everywhere or self._solve(known, signs[known], None)
                self._models.append(everywhere)
        weights = [self._weights(model, k) for k, model in enumerate(self._models)]
        self.coefs_, self.intercepts_ = np.array([w for w, _ in weights]), np.array([b for _, b in weights])

    def _solve(self, rows: Integers, signs: Floats, number: int | None) -> _Model:
        """Weigh words by labelled texts and the mean, which is relevant where no relevant text has words."""
        relevant, irrelevant = signs > 0, signs < 0
        by_mean = bool(self.background) and bool(self._empty[rows[relevant]].all())
        if by_mean:
            rows, signs, relevant = rows[irrelevant], signs[irrelevant], relevant[irrelevant]
        shares = np.where(relevant, self.balance / max(relevant.sum(), 1), 1.0 / max(irrelevant.sum(), 1))
        shares = np.append(shares, self.balance if by_mean else self.background)
        costs = 2.0 * self.C * (len(rows) + by_mean) * shares / shares.sum()
        own = 1.0 / (1.0 / costs[:-1] + self._alone[rows])
        X = Rows(self._vectors, rows)
        if not self.background:
            return _Model(rows, ridge_duals(X, signs, own, None))
        mean = self._means.mean(axis=0) if number is None else self._means[number]
        background = Background(mean, 1.0 if by_mean else -1.0, costs[-1])
        return _Model(np.append(rows, CONSTANT), ridge_duals(X, signs, own, background))

    def _weights(self, model: _Model, number: int) -> tuple[Floats, float]:
        own = model.rows != CONSTANT
        coef = Rows(self._vectors, model.rows[own]).sum(model.duals[own])
        for dual in model.duals[~own]:
            coef = coef + dual * self._means[number]
        return coef, float(model.duals.sum())

    def _mix(self, labels: Floats, signs: Floats) -> Self:
        """Fuse what words and graph say in each list, as long as relevant labels are few."""
        data = self._lists
        self.columns_, self.unlabelled_ = np.zeros((data.n_items, 2)), np.isnan(signs)
        for k, (start, stop) in enumerate(pairwise(data.indptr)):
            words = Rows(self._vectors, np.arange(start, stop)).times(self.coefs_[k])
            empty = self._empty[start:stop]
            words[empty] = words[~empty].mean() if not empty.all() else 0.0
            self.columns_[start:stop, 0] = words + self.intercepts_[k]
        centres, spreads = centres_and_spreads(self.columns_[:, :1], data.indptr)
        self.centres_, self.factors_ = centres[:, 0], inverse(spreads)[:, 0]
        lists = data.list_of_item
        self.columns_[:, 0] = (self.columns_[:, 0] - self.centres_[lists]) * self.factors_[lists]
        self.weights_ = self._graph_weights(signs)
        if self.graph_ is not None and self.weights_.any():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)  # texts out of reach are ranked by their words
                spread = self.graph_.rerank(np.where(labels > 0, 1.0, labels)).scores_
            self.columns_[:, 1] = data.arrange(spread)
        mixed = [self._fused(k).score_fitted() for k in range(data.n_lists)]
        self.scores_ = data.restore(np.concatenate(mixed))
        return self

    def _graph_weights(self, signs: Floats) -> Floats:
        """Return g for each list."""
        n_relevant = self._lists.list_sums(signs == 1.0)
        left = np.maximum(0.0, 1.0 - n_relevant / self.until) * (n_relevant > 0)
        return np.zeros(self._lists.n_lists) if self.graph_ is None else self.graph * left

    def _fused(self, number: int) -> "_Fusion":
        start, stop = self.indptr_[number], self.indptr_[number + 1]
        return _Fusion(self.columns_[start:stop], self.unlabelled_[start:stop], float(self.weights_[number]))

    def _place(self, item: int) -> tuple[int, int]:
        """Return where an item stands among the lists, and the number of its list."""
        self._check_fitted_here("_vectors")
        if not 0 <= item < len(self.scores_):
            raise ValueError(f"item must be a row number from 0 to {len(self.scores_) - 1}; got {item!r}.")
        place = int(np.flatnonzero(self._lists.order == item)[0])
        return place, int(self._lists.list_of_item[place])

    def _new_items(self, X: Any, y: Any, qid: Any) -> RankingDataset:
        return RankingDataset(np.zeros((len(texts_of(X)), 0)), y, qid)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


class _Fusion(NamedTuple):
    """Two orders of a list as one; items are ranked among those without a label.

    A score is that of the words at the same place: what the graph does is to move items between places.
    """

    columns: Floats
    unlabelled: Booleans
    weight: float

    def score_fitted(self) -> Floats:
        """Return the scores of the items themselves; labelled ones keep what the words say."""
        return np.where(self.unlabelled, self.score(self.columns), self.columns[:, 0])

    def score(self, columns: Floats) -> Floats:
        """Return the scores that items with these columns have among the unlabelled ones."""
        if self.weight == 0.0 or not self.unlabelled.any():
            return columns[:, 0]
        words = np.sort(self.columns[self.unlabelled, 0])[::-1]
        places = _places(self._fuse(columns), self._fuse(self.columns[self.unlabelled]))
        return words[np.minimum(places, len(words) - 1)]

    def _fuse(self, columns: Floats) -> Floats:
        among = self.columns[self.unlabelled]
        by_words, by_graph = (_places(columns[:, k], among[:, k]) for k in (0, 1))
        return 1.0 / (1.0 + by_words) + self.weight / (1.0 + by_graph)


def _places(values: Floats, among: Floats) -> Integers:
    """Count, for each value, those that are larger, beyond rounding."""
    ordered = np.sort(np.round(-among, DIGITS))
    return np.searchsorted(ordered, np.round(-values, DIGITS), side="left")


def _without_terms(vectors: csr_array) -> Booleans:
    """Tell which texts are empty, or have no term that is known."""
    return np.diff(vectors.indptr) == 0


def _lengths_missing(vectors: csr_array) -> Floats:
    """Return what each text lacks of length 1: the squares of terms without a column, which only it has.

    No other text is scored by them, but their part of the squared length keeps a text from being fitted as
    closely as others, which the same amount added to 1 / cost does.
    """
    squares = np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel()
    return np.where(squares > 0, np.maximum(1.0 - squares, 0.0), 0.0)
