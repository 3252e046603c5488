"""Copies, pasted references, and how far reviewers agree."""

import numpy as np
import pytest

from semirank.feedback import Event, Items, State, agreement, find_copies, find_items


def test_copies_by_doi_title_and_likeness():
    items = Items(
        ["1", "2", "3", "4", "5"],
        ["x"] * 5,
        titles=["A trial.", "Other", "a TRIAL", "", ""],
        dois=["", "10.1/A", "", "doi:10.1/a", ""],
    )
    vectors = np.array([[1, 0], [0, 1], [1, 0.01], [0.3, 1], [0.01, 1]], dtype=float)
    copies = find_copies(items, vectors)
    assert [group.tolist() for group in copies.exact] == [[0, 2], [1, 3]]
    assert [group.tolist() for group in copies.near] == [[1, 3, 4]]


def test_copies_stay_within_their_list():
    items = Items(["1", "2"], ["x", "y"], qid=["a", "b"], titles=["Same", "Same"])
    assert find_copies(items).exact == []


def test_pasted_references_are_found_or_named():
    items = Items(["r1", "r2"], ["x", "y"], titles=["Café: one", "Two"], dois=["10.5/q", ""])
    found = find_items("r2\ncafe one\n10.5/Q\nnothing like it\n\n", items)
    assert found.rows == {"r2": 1, "cafe one": 0, "10.5/Q": 0}
    assert found.unknown == ["nothing like it"]


def krippendorff_by_pairs(table: np.ndarray) -> float:
    """Nominal alpha by its definition: disagreement within items over that of all pairs of values."""
    columns = [column[~np.isnan(column)] for column in table.T]
    columns = [column for column in columns if len(column) > 1]
    values = np.concatenate(columns)
    observed = sum((c[:, None] != c[None, :]).sum() / (len(c) - 1) for c in columns) / len(values)
    expected = (values[:, None] != values[None, :]).sum() / (len(values) * (len(values) - 1))
    return 1 - observed / expected


def test_agreement_of_two_reviewers():
    rng = np.random.default_rng(0)
    ann = rng.integers(0, 2, 60).astype(float)
    bob = np.where(rng.random(60) < 0.8, ann, 1 - ann)
    bob[50:] = np.nan
    items = Items([str(k) for k in range(60)], np.zeros((60, 1)))
    events = [
        Event(f"{name}{k}", "label", str(k), value=int(label), reviewer=name)
        for name, labels in (("ann", ann), ("bob", bob))
        for k, label in enumerate(labels)
        if not np.isnan(label)
    ]
    found = agreement(State(items, events))
    (pair,) = found.pairs
    same = ann[:50] == bob[:50]
    p, q = ann[:50].mean(), bob[:50].mean()
    chance = p * q + (1 - p) * (1 - q)
    assert (pair.reviewers, pair.n_items) == (("ann", "bob"), 50)
    assert pair.percent == pytest.approx(same.mean())
    assert pair.kappa.value == pytest.approx((same.mean() - chance) / (1 - chance))
    assert pair.kappa.low < pair.kappa.value < pair.kappa.high
    assert sum(map(sum, pair.table)) == 50
    assert found.alpha.value == pytest.approx(krippendorff_by_pairs(np.vstack([ann, bob])))
    assert found.conflicts.tolist() == np.flatnonzero(~same).tolist()


def test_agreement_of_nobody_is_not_a_number():
    found = agreement(State(Items(["a"], np.zeros((1, 1))), [Event("1", "label", "a", value=1)]))
    assert np.isnan(found.alpha.value)
    assert found.pairs == ()
