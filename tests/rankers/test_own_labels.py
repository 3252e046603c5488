"""Lists of parts ranked by their own labels: the scores of `fit`, also of one list over a graph on disk."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from tests.rankers.test_sums import cut_at, in_memory, make_lists

from semirank import DistanceRanking, ManifoldRanking, PersonalizedPageRank
from semirank.core.neighbours import find_components
from semirank.graphs import Diffusion, knn_graph, mapped
from semirank.graphs.mapped import MappedDiffusion, _median

nan = np.nan


def scores_in(folder):
    lines = [line for path in sorted(folder.glob("*.tsv")) for line in path.read_text().splitlines()[1:]]
    return np.array([float(line.split("\t")[2]) for line in lines])


@pytest.mark.filterwarnings("ignore::semirank.dataset.checks.DataWarning")
@pytest.mark.parametrize(
    "ranker",
    [
        ManifoldRanking(),
        PersonalizedPageRank(),
        ManifoldRanking(combine="ratio"),
        ManifoldRanking(combine="labels"),
    ],
)
def test_lists_inside_parts_have_the_bits_of_fit(tmp_path, ranker):
    X, y, qid = make_lists(15, 3)
    parts = in_memory(X, y, qid, cut_at(qid, [3, 4, 9]))
    ranker.rank_parts(parts, tmp_path / "scores")
    np.testing.assert_array_equal(scores_in(tmp_path / "scores"), ranker.fit(X, y, qid).scores_)


def test_parts_without_a_relevant_item_score_nothing(tmp_path):
    X, y, qid = make_lists(4, 3)
    ManifoldRanking().rank_parts(in_memory(X, np.where(y > 0, nan, y), qid, [0]), tmp_path / "scores")
    assert not scores_in(tmp_path / "scores").any()


def test_a_negative_label_counts_where_scores_are_made_of_labels(tmp_path):
    X, y, qid = make_lists(4, 3)
    y, ranker = np.where(y > 0, nan, y - 1), ManifoldRanking(combine="labels")
    ranker.rank_parts(in_memory(X, y, qid, [0]), tmp_path / "scores")
    found = scores_in(tmp_path / "scores")
    assert found.any()
    np.testing.assert_array_equal(found, ranker.fit(X, y, qid).scores_)


@pytest.mark.parametrize("n_parts", [2, 5])
def test_one_list_in_parts_is_ranked_over_a_graph_on_disk(tmp_path, n_parts):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(700, 4)).astype(np.float32), np.full(700, nan)
    y[:10] = rng.integers(0, 2, 10)
    parts = in_memory(X, y, None, [700 * k // n_parts for k in range(n_parts)], one_list=True)
    folder = tmp_path / "scores"
    ranker = ManifoldRanking(tol=1e-10).rank_parts(parts, folder)
    found, whole = scores_in(folder), ManifoldRanking(tol=1e-10).fit(X, y).scores_
    assert np.corrcoef(found, whole)[0, 1] > 0.999  # a share of 0.01 of the neighbours may be missed
    (folder / "part-000001.tsv").unlink()
    before = (folder / "part-000000.tsv").stat().st_mtime_ns
    ranker.rank_parts(parts, folder)
    np.testing.assert_array_equal(scores_in(folder), found)
    assert (folder / "part-000000.tsv").stat().st_mtime_ns == before
    assert sorted(path.suffix for path in folder.iterdir()) == [".json", *[".tsv"] * n_parts]


@pytest.mark.parametrize("n_items", [3, 40, 500])
def test_a_graph_on_disk_is_the_one_in_memory_where_all_neighbours_are_found(tmp_path, n_items):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(n_items, 3)).astype(np.float32), rng.normal(size=n_items)
    X[: n_items // 10] = X[0]  # duplicates
    system = MappedDiffusion.build([X[:2], X[2:]], n_items, tmp_path, 6, recall=1.0)
    graph = knn_graph(X, 6)
    assert system.recall == 1.0
    np.testing.assert_allclose(system.in_items(system.degrees), graph.sum(axis=1), rtol=2e-5)
    found = system.solve(y, 0.9, tol=1e-10)
    np.testing.assert_allclose(found.scores, Diffusion(graph).solve(y, 0.9, tol=1e-10).scores, atol=1e-5)


def test_blocks_of_rows_and_edges_change_nothing(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(100, 3)).astype(np.float32), rng.normal(size=100)
    found = []
    for rows, edges in ((1000, 10**6), (7, 50), (3, 1)):
        monkeypatch.setattr(mapped, "BLOCK_ROWS", rows)
        monkeypatch.setattr(mapped, "BLOCK_EDGES", edges)
        (tmp_path / str(rows)).mkdir()
        system = MappedDiffusion.build([X], 100, tmp_path / str(rows), 6, recall=1.0)
        found.append(system.solve(y, 0.9, tol=1e-10).scores)
    np.testing.assert_allclose(found[1:], [found[0]] * 2, atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(degrees=st.lists(st.integers(0, 9), max_size=30), most=st.integers(1, 20))
def test_blocks_are_as_large_as_they_may_be(degrees, most):
    indptr = np.concatenate([[0], np.cumsum(degrees)]).astype(int)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mapped, "BLOCK_EDGES", most)
        blocks = list(mapped._blocks(indptr))
    assert [row for rows, _ in blocks for row in range(len(degrees))[rows]] == list(range(len(degrees)))
    for rows, edges in blocks:
        assert (edges.start, edges.stop) == (indptr[rows.start], indptr[rows.stop])
        assert edges.stop - edges.start <= most or rows.stop - rows.start == 1
        if rows.stop < len(degrees):
            assert indptr[rows.stop + 1] - edges.start > most


@settings(max_examples=40, deadline=None)
@given(values=st.lists(st.floats(0, 1e6, width=32), min_size=1, max_size=50))
def test_a_median_by_bits_is_a_median(values):
    squares = np.array(values, dtype=np.float32)
    expected = np.median(np.sqrt(squares.astype(np.float64))) ** 2
    assert _median(squares) == pytest.approx(expected, rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(values=st.lists(st.floats(0.0078125, 1e6, width=32), max_size=9), n_zero=st.integers(0, 20))
def test_the_median_length_is_that_of_edges_longer_than_0_where_most_are_0(values, n_zero):
    squares = np.array([0.0] * n_zero + values + [0.0] * (not values), dtype=np.float32)
    lengths = np.sqrt(squares.astype(np.float64))
    expected = np.median(lengths) or (np.median(lengths[lengths > 0]) if values else 1.0)
    assert mapped._median_length(squares) == pytest.approx(expected, rel=1e-6)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 999), n=st.integers(1, 30))
def test_components_are_those_of_scipy(seed, n):
    rng = np.random.default_rng(seed)
    graph = csr_array(np.triu(rng.random((n, n)) < 1.2 / n, 1).astype(float))
    graph = csr_array(graph + graph.T)
    expected = connected_components(graph, directed=False)[1]
    np.testing.assert_array_equal(find_components(graph.indptr, graph.indices), expected)


def test_what_cannot_be_ranked_without_a_model_is_told(tmp_path):
    X, y, _ = make_lists(9, 0)
    parts = in_memory(X, y, None, [0, 9], one_list=True)
    with pytest.raises(ValueError, match="nearest neighbours"):
        ManifoldRanking(join=True).rank_parts(parts, tmp_path / "a")
    with pytest.raises(ValueError, match="larger parts"):
        PersonalizedPageRank().rank_parts(parts, tmp_path / "a")
    with pytest.raises(ValueError, match="not fitted"):
        DistanceRanking().rank_parts(parts, tmp_path / "b")
    assert not any(tmp_path.iterdir())
