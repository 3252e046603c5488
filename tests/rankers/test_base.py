"""What a ranker says of itself where it says nothing."""

from semirank import LabelledOnly, Ranker


class Plain(Ranker):
    def fit(self, X, y, qid=None):
        return self

    def predict(self, X, qid=None):
        return X


class Graph(Plain):
    assumption = "what is near is alike"


def test_a_ranker_is_usual_unless_it_says_otherwise():
    plain = Plain()
    assert (plain.assumption, plain.takes_weights) == (None, ())
    assert (plain.takes_sparse, plain.one_function, plain.ignores_unlabelled) == (True, True, True)
    assert (plain.takes_texts, plain.shows_progress) == (False, False)
    assert (plain.learns_by_sums, plain.ranks_lists_apart) == (False, False)
    assert plain.supervised() is plain
    assert not plain._fit_unlabelled(None, None)


def test_what_assumes_something_learns_from_unlabelled_items():
    assert not Graph().ignores_unlabelled
    assert isinstance(Graph().supervised(), LabelledOnly)
