"""A typed question ranks texts until there is a relevant one: as a search engine does."""

from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers
from semirank.dataset import RankingDataset
from semirank.features import TfIdf
from semirank.meta.text import Words, name_words, texts_of
from semirank.rankers._base import Contributions, FeatureContributions, Ranker

SATURATION, LENGTHS = 1.2, 0.75  # k1 and b, as usual
LETTERS = 6


class QuestionRanker(Ranker):
    """Rank texts by BM25 [1]_: the words that they share with a question.

    A question is an item with a label above 0. Its words are few, and an item counts by the rare ones among
    them, repeated ones ever less, and less in a long text::

        sum_t ln(1 + (N - n_t + 0.5) / (n_t + 0.5)) f_t (k1 + 1) / (f_t + k1 (1 - b + b l)),

    over the words t of the question, f_t times in the text and in n_t of N texts; l is the length of the text
    divided by the mean one, k1 = 1.2 and b = 0.75; words are cut to six letters. A cosine would prefer the
    shortest texts. Other labels are not used.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        The sum over the questions of the item's list, or over all where it has none.

    References
    ----------
    .. [1] S. Robertson, H. Zaragoza. The probabilistic relevance framework: BM25 and beyond. Foundations and
       Trends in Information Retrieval 3(4), 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank.feedback.questions import QuestionRanker
    >>> texts = ["heart failure in mice", "kidney failure", "diets", "drugs for heart failure"]
    >>> np.argsort(-QuestionRanker().fit(texts, [np.nan, np.nan, np.nan, 1]).scores_[:3])
    array([0, 1, 2])
    """

    takes_texts = True
    takes_sparse = False
    one_function = False

    _weights: csr_array
    _terms: AnyArray
    _questions: Booleans
    _lists: Integers

    def fit(self, X: Any, y: Any, qid: Any = None) -> Self:
        """Count the words of all texts, and rank these by those of the questions."""
        texts = texts_of(X)
        counter = TfIdf(1, sublinear=False, norm=None, prefix=LETTERS)
        counts = counter.fit_transform(texts)
        counts.data /= counter.idf_[counts.indices]
        self._weights, self._terms = _bm25(counts), counter.get_feature_names_out()
        return self._refit(X, y, qid)

    def _refit(self, X: Any, y: Any, qid: Any) -> Self:
        data = RankingDataset(np.zeros((len(y), 0)), y, qid)
        self._questions, self._lists = data.restore(data.y) > 0, data.restore(data.list_of_item)
        self.scores_ = np.zeros(len(y))
        for number in range(data.n_lists):
            own = np.flatnonzero(self._lists == number)
            self.scores_[own] = self._weights[own] @ self._asked(number)
        return self

    def explain(self, item: int) -> Contributions:
        """Split a score among the questions."""
        questions = self._questions_of(self._lists[item])
        amounts = (self._words_of(questions) @ self._weights[[item]].T).toarray().ravel()
        return Contributions(questions, amounts)

    def explain_words(self, item: int) -> Words:
        """Split a score among the words that the text shares with the questions, cut as they are compared."""
        own = self._weights[[item]]
        amounts = own.data * self._asked(self._lists[item])[own.indices]
        terms, amounts = own.indices[amounts > 0], amounts[amounts > 0]
        return name_words(FeatureContributions(terms, amounts), self._terms)

    def _asked(self, number: int) -> Floats:
        """Return how many questions of a list have each word."""
        return np.asarray(self._words_of(self._questions_of(number)).sum(axis=0)).ravel()

    def _words_of(self, rows: Integers) -> csr_array:
        """Return 1 for each word of each text."""
        own = self._weights[rows]
        return csr_array((np.ones(own.nnz), own.indices, own.indptr), shape=own.shape)

    def _questions_of(self, number: int) -> Integers:
        """Return the rows of the questions of a list, or of all lists where it has none."""
        own = self._questions & (self._lists == number)
        return np.flatnonzero(own if own.any() else self._questions)


def _bm25(counts: csr_array) -> csr_array:
    """Weigh each word of each text as if it had been asked for."""
    lengths: Floats = np.asarray(counts.sum(axis=1)).ravel()
    n_texts = np.bincount(counts.indices, minlength=counts.shape[1])[counts.indices]
    rarity = np.log1p((counts.shape[0] - n_texts + 0.5) / (n_texts + 0.5))
    relative = np.repeat(lengths / lengths.mean(), np.diff(counts.indptr))
    room = SATURATION * (1 - LENGTHS + LENGTHS * relative)
    weights = rarity * counts.data * (SATURATION + 1) / (counts.data + room)
    return csr_array((weights, counts.indices, counts.indptr), shape=counts.shape)
