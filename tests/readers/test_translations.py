"""Proposals of a translation system and their BLEU scores."""

import gzip
from math import exp
from pathlib import Path

import numpy as np
import pytest

from semirank.readers.datasets import load, load_items
from semirank.readers.datasets.translations import read_nbest, sentence_bleu


def bleu(words: str, reference: str) -> float:
    return sentence_bleu(words.split(), reference.split())


def test_bleu_worked_out_by_hand() -> None:
    # found are all words but "a", then "the cat" and "cat sat", then "the cat sat"; six words against seven
    shares = (5 / 6) * ((2 + 1) / (5 + 1)) * ((1 + 1) / (4 + 1)) * ((0 + 1) / (3 + 1))
    found = bleu("the cat sat on a mat", "the cat sat there on the mat")
    assert found == pytest.approx(shares**0.25 * exp(1 - 7 / 6))


def test_bleu_of_extremes() -> None:
    assert bleu("a b c d e", "a b c d e") == 1.0
    assert bleu("x y z", "a b c") == 0.0
    assert bleu("", "a b c") == 0.0
    assert bleu("a a a a", "a b c d") == pytest.approx(
        (1 / 4 * 1 / 4 * 1 / 3 * 1 / 2) ** 0.25
    )  # a counts once


def write(folder: Path, lines: str) -> tuple[Path, Path]:
    proposals, references = folder / "nbest.2.gz", folder / "reference"
    proposals.write_bytes(gzip.compress(lines.encode()))
    references.write_text("a b c\nd e f\n")
    return proposals, references


def test_proposals_are_read(tmp_path: Path) -> None:
    lines = "0||| a b c  ||| d= 0 -3.5 lm= 2 ||| -1\n1||| d  e x ||| d= 1 2 lm= 3 ||| 4\n"
    items = read_nbest(*write(tmp_path, lines))
    data = items.ranking(None)
    assert data.feature_names == ("d1", "d2", "lm1")
    assert data.X.tolist() == [[0, -3.5, 2], [1, 2, 3]]
    assert data.qid.tolist() == ["0.2", "1.2"]
    assert data.texts is not None
    assert data.texts.tolist() == ["a b c", "d  e x"]
    assert data.y.tolist() == [1.0, bleu("d e x", "d e f")]


@pytest.mark.parametrize("line", ["0||| a b", "7||| a ||| d= 0 ||| 1", "0||| a ||| d= x ||| 1"])
def test_a_damaged_line_is_named(tmp_path: Path, line: str) -> None:
    good = "0||| a ||| d= 0 ||| 1"
    with pytest.raises(ValueError, match=r"nbest.2.gz, line 2: is no proposal of Moses"):
        read_nbest(*write(tmp_path, f"{good}\n{line}\n"))


def test_moses_as_published(real_data: Path) -> None:
    data = load("moses-nbest")
    assert (data.n_items, data.n_lists, data.n_features) == (5000, 50, 14)
    assert np.diff(data.indptr).tolist() == [100] * 50
    assert 0 < data.y.min() < data.y.max() < 1
    items = load_items("moses-nbest", part="run3")
    assert items.texts is not None
    assert items.texts[0].startswith("as mr we the to president")
