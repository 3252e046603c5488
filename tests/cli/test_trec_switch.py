"""`semirank evaluate --trec` prints the figures of ir_measures."""

import ir_measures
import numpy as np
import pytest

import semirank
from semirank import metrics

NAMES = ["nDCG@10", "nDCG", "AP", "AP@20", "P@5", "P@100", "R@20", "RR"]  # RR@k is not of trec_eval


def write(folder, seed):
    """Write judgements and a run that lacks judged items, has unjudged ones, ties, and lists of its own."""
    rng = np.random.default_rng(seed)
    with open(folder / "j.qrels", "w") as qrels, open(folder / "s.run", "w") as run:
        for name in range(12):
            items = rng.permutation(60)
            for item in items[:30]:
                qrels.write(f"q{name} 0 d{item} {rng.choice([0, 0, 0, 1, 2]) if name != 3 else 0}\n")
            for place, item in enumerate(
                items[rng.integers(0, 25) : rng.integers(30, 60)] if name != 5 else (), 1
            ):
                run.write(f"q{name} Q0 d{item} {place} {rng.integers(0, 12) / 4} ours\n")
        run.write("other Q0 d1 1 3.5 ours\n")
    return folder / "j.qrels", folder / "s.run"


@pytest.mark.parametrize("seed", range(3))
def test_means_are_those_of_ir_measures(run, tmp_path, seed):
    qrels, scores = write(tmp_path, seed)
    theirs = ir_measures.calc_aggregate(
        [ir_measures.parse_measure(name) for name in NAMES],
        ir_measures.read_trec_qrels(str(qrels)),
        ir_measures.read_trec_run(str(scores)),
    )
    code, _, err = run("evaluate", qrels, scores, *NAMES, "--trec", "-o", tmp_path / "out.csv")
    assert code == 0, err
    rows = [line.split(",") for line in (tmp_path / "out.csv").read_text().splitlines()[1:]]
    assert [int(row[-1]) for row in rows] == [12] * len(NAMES)
    for name, row in zip(NAMES, rows, strict=True):
        assert float(row[-3]) == pytest.approx(theirs[ir_measures.parse_measure(name)], abs=1e-6), name


def test_each_list_has_the_value_of_ir_measures(run, tmp_path):
    qrels, scores = write(tmp_path, 7)
    measure = ir_measures.parse_measure("AP")
    theirs = {
        each.query_id: each.value
        for each in ir_measures.iter_calc(
            [measure], ir_measures.read_trec_qrels(str(qrels)), ir_measures.read_trec_run(str(scores))
        )
    }
    _, out, _ = run("evaluate", qrels, scores, "AP", "--trec", "--per-list")
    ours = {name: float(value) for name, value in (line.split("\t") for line in out.splitlines()[1:])}
    assert ours == pytest.approx(theirs, abs=1e-6)


def test_in_python(tmp_path):
    data = semirank.RankingDataset(np.zeros((4, 1)), [1, 1, 0, 0], qid=["a", "a", "a", "b"])
    found = semirank.evaluate(data, [1.0, -np.inf, 2.0, 1.0], ["AP", "R@5", "nDCG@5"], trec=True)
    assert found.values["AP"].tolist() == [0.25, 0.0]
    assert found.values["R@5"].tolist() == [0.5, 0.0]
    assert list(found.values) == ["AP", "R@5", "nDCG@5"]


def test_an_item_without_a_score_is_an_error_elsewhere():
    with pytest.raises(ValueError, match="row 1 is -inf"):
        metrics.average_precision([1, 0], [1.0, -np.inf])
