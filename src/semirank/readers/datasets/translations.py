"""Translations of sentences that a system proposes, ranked by their likeness to a person's."""

from collections import Counter
from math import exp, log
from pathlib import Path

import numpy as np

from semirank.files import open_input
from semirank.readers.datasets.entry import Counts, Entry
from semirank.readers.datasets.items import Items, strings
from semirank.readers.fetch import RemoteFile

_ADDRESS = "https://github.com/moses-smt/moses-regression-tests"
_FOLDER = (
    "https://raw.githubusercontent.com/moses-smt/moses-regression-tests/"
    "a87a2d6a20283b25f91272d5a7c17a1da71162db/tests/mert.extractor-txt/data"
)
_LONGEST = 4


def sentence_bleu(words: list[str], reference: list[str]) -> float:
    """Return the BLEU score of one sentence: how many of its word sequences stand in the reference.

    The geometric mean over n = 1..4 of the share p_n of sequences of n words that the reference has (each as
    often as there), times ``exp(1 - r / c)`` if the c words are fewer than the r of the reference. For n >
    1, 1 is added to both counts of p_n (Lin and Och 2004), so that one sentence without a common
    sequence of four words is not worth 0.

    Examples
    --------
    >>> sentence_bleu("the cat sat".split(), "the cat sat".split())
    1.0
    >>> round(sentence_bleu("the cat".split(), "the cat sat".split()), 3)
    0.607
    """
    if not words:
        return 0.0
    total = 0.0
    for n in range(1, _LONGEST + 1):
        ours, theirs = _sequences(words, n), _sequences(reference, n)
        extra = int(n > 1)
        shared = (ours & theirs).total() + extra
        if shared == 0:
            return 0.0
        total += log(shared / (ours.total() + extra))
    return exp(total / _LONGEST + min(0.0, 1.0 - len(reference) / len(words)))


def read_nbest(proposals: Path, references: Path) -> Items:
    """Read the proposals of one run of Moses, ``id ||| words ||| names= values ||| score``, and their BLEU.

    A list is a sentence; its name is the number of the sentence and, after a dot, that of the run.
    """
    with open_input(references) as stream:
        wanted = [line.split() for line in stream.read().decode().splitlines()]
    run = proposals.name.split(".")[1]
    lists, y, rows, texts = [], [], [], []
    names: tuple[str, ...] = ()
    with open_input(proposals) as stream:
        for number, line in enumerate(stream.read().decode().splitlines(), start=1):
            try:
                sentence, words, features, _ = line.split("|||")
                names, values = _features(features)
                y.append(sentence_bleu(words.split(), wanted[int(sentence)]))
            except (ValueError, IndexError) as error:
                raise ValueError(f"{proposals}, line {number}: is no proposal of Moses ({error}).") from error
            lists.append(f"{int(sentence)}.{run}")
            rows.append(values)
            texts.append(words.strip())
    return Items(
        item_ids=np.arange(1, len(y) + 1),
        X=np.array(rows),
        y=np.array(y),
        qid=strings(lists),
        texts=strings(texts),
        feature_names=names,
    )


def _features(text: str) -> tuple[tuple[str, ...], list[float]]:
    """Read ``d= 0 -3.3 lm= -47.3`` as the names d1, d2, lm1 and their values."""
    names, values, name, count = [], [], "", 0
    for word in text.split():
        if word.endswith("="):
            name, count = word[:-1], 0
        else:
            count += 1
            names.append(f"{name}{count}")
            values.append(float(word))
    return tuple(names), values


def _sequences(words: list[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(words[start:] for start in range(n)), strict=False))


def _run_files(run: int) -> tuple[RemoteFile, ...]:
    name, part = f"nbest.{run}.gz", f"run{run}"
    return (
        RemoteFile(f"moses-nbest/{name}", f"{_FOLDER}/{name}", part=part),
        RemoteFile("moses-nbest/reference", part=part),
    )


ENTRIES = (
    Entry(
        name="moses-nbest",
        summary="five runs of the Moses decoder: 100 translations of each of ten sentences, 14 features",
        labels="sentence BLEU, from 0 to 1",
        address=_ADDRESS,
        terms="none stated",
        parts={f"run{run}": Counts(1000, 10) for run in range(1, 6)},
        read=read_nbest,
        files=tuple(file for run in range(1, 6) for file in _run_files(run)),
        n_features=14,
        by_hand="Take the reference translations of the tests of its extractor, ten lines, as `reference`.",
    ),
)
