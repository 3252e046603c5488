"""TREC files: judgements (qrels) and rankings (runs)."""

import os
from typing import Any, Literal

import numpy as np

from semirank.core.arrays import Floats, Integers
from semirank.dataset import RankingDataset, mark_unlabelled
from semirank.files import Source, name_of, open_output
from semirank.readers.lines import Once, read_cells, read_number
from semirank.readers.scores import Ranked, Scores, check_names, item_names, rank_items


def read_qrels(source: Source, *, unlabelled: float | Literal["auto"] | None = "auto") -> RankingDataset:
    r"""Read judgements: ``list 0 item label`` on each line, any blanks or tabs between the cells.

    Parameters
    ----------
    source : path, "-" or binary file
        Compressed or not, by the ending of the name.
    unlabelled : float, "auto" or None
        The label that means "unlabelled"; by default -1, where no other label is below 0.

    Returns
    -------
    RankingDataset
        Without features: names and labels, to be compared with scores of the same names.

    Raises
    ------
    ValueError
        With file and line: another number of cells, a label that is no finite number, an item of a
        list that is judged twice.

    See Also
    --------
    write_qrels : the way back.
    read_run : scores.

    Examples
    --------
    >>> import io
    >>> from semirank.readers.trec import read_qrels
    >>> read_qrels(io.BytesIO(b"q1 0 a 2\nq1 0 b -1\n"))
    RankingDataset(1 lists, 2 items, 0 features, 1 labelled, 1 unlabelled)
    """
    once, rows = Once(), []
    for place, (list_name, _, item, label) in read_cells(source, ("list", "0", "item", "label")):
        once.add(place, list_name, item)
        rows.append((list_name, item, read_number(place, "label", label)))
    if not rows:
        raise ValueError(f"{name_of(source)}: holds no judgements, one on a line: list 0 item label.")
    try:
        labels = mark_unlabelled([label for _, _, label in rows], unlabelled)[0]
    except ValueError as error:
        raise ValueError(f"{name_of(source)}: {error}") from error
    named = Scores.of(rows)
    return RankingDataset(np.empty((len(rows), 0)), labels, named.qid, named.item_ids)


def write_qrels(data: RankingDataset, target: str | os.PathLike[str]) -> None:
    """Write the labels of the data as judgements, in the caller's order; unlabelled items have no line.

    Items without `item_ids` go by the caller's row number, from 0. Labels must be whole numbers,
    since trec_eval cuts off what stands behind the point.

    See Also
    --------
    read_qrels : the way back.
    """
    labelled = np.flatnonzero(data.restore(data.labelled))
    labels = data.restore(data.y)[labelled]
    if len(labels) == 0:
        raise ValueError("There is nothing to write: no item has a label.")
    if (labels % 1 != 0).any():
        raise ValueError(
            f"Judgements are whole numbers; got the label {labels[labels % 1 != 0][0]}. "
            "Keep such labels in a table or a LETOR file."
        )
    lists, items = (data.restore(names)[labelled] for names in item_names(data))
    check_names(Ranked(lists, items, labelled, labels), _is_one_word)
    with open_output(target) as stream:
        for list_name, item, label in zip(lists, items, labels, strict=True):
            stream.write(f"{list_name} 0 {item} {int(label)}\n".encode())


def read_run(source: Source) -> Scores:
    """Read a ranking: ``list Q0 item rank score tag`` on each line, any blanks or tabs between the cells.

    The scores alone make the ranking; as in trec_eval, the ranks and the order of the lines do not count.

    Parameters
    ----------
    source : path, "-" or binary file
        Compressed or not, by the ending of the name.

    Returns
    -------
    Scores
        `Scores.for_dataset` brings them into the order of a dataset.

    Raises
    ------
    ValueError
        With file and line: another number of cells, a score that is no finite number, an item of a
        list that is there twice.

    See Also
    --------
    write_run : the way back.
    read_qrels : labels.
    """
    once, rows = Once(), []
    for place, cells in read_cells(source, ("list", "Q0", "item", "rank", "score", "tag")):
        list_name, _, item, _, score, _ = cells
        once.add(place, list_name, item)
        rows.append((list_name, item, read_number(place, "score", score)))
    if not rows:
        raise ValueError(f"{name_of(source)}: holds no scores, one on a line: list Q0 item rank score tag.")
    return Scores.of(rows, name_of(source))


def write_run(
    data: RankingDataset,
    scores: Any,
    target: str | os.PathLike[str],
    *,
    tag: str = "semirank",
    top: int | None = None,
) -> None:
    """Write scores as a run that trec_eval puts into the very order of the file.

    Lists come in the order in which they appear first, items by descending score, equal scores by
    descending name, ranks from 1. trec_eval looks at the scores alone, in single precision, and
    breaks ties by descending name: so equal scores may stay equal. Scores that differ, but would be
    equal in single precision, are moved apart by its smallest steps; all others are written exactly.
    `write_scores` writes every score exactly.

    Parameters
    ----------
    data : RankingDataset
        The items. Without `item_ids` they go by the caller's row number, from 0.
    scores : array of shape (n_items,)
        In the caller's order, finite, at most 3.4e38 in size.
    target : path or "-"
        A file appears only when it is complete.
    tag : str
        The name of the run, one word.
    top : int, optional
        Write only so many items of each list.

    See Also
    --------
    read_run : the way back.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from semirank import RankingDataset
    >>> from semirank.readers.trec import write_run
    >>> data = RankingDataset([[0.0]] * 3, [1, 0, 1], qid=[7, 7, 7], item_ids=["a", "b", "c"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "scores.run"
    ...     write_run(data, [0.5, 0.9, 0.5], path, tag="mine")
    ...     print(path.read_text())
    7 Q0 b 1 0.9 mine
    7 Q0 c 2 0.5 mine
    7 Q0 a 3 0.5 mine
    <BLANKLINE>
    """
    ranked = rank_items(data, scores, top)
    check_names(ranked, _is_one_word)
    if not _is_one_word(tag):
        raise ValueError(f"tag must be one word; got {tag!r}.")
    printed = _apart_in_single_precision(ranked)
    with open_output(target) as stream:
        for list_name, item, rank, score in zip(*map(np.ndarray.tolist, ranked[:3]), printed, strict=True):
            stream.write(f"{list_name} Q0 {item} {rank} {score!r} {tag}\n".encode())


def add_unjudged(judgements: RankingDataset, run: Scores) -> RankingDataset:
    """Add to judgements, unlabelled, the items that only the run names.

    ``run.for_dataset(add_unjudged(judgements, run), missing="last")`` then gives a score to every
    item that either of the two knows.
    """
    if judgements.n_features:
        raise ValueError("Items can be added to judgements only, that is to data without features.")
    lists, items = map(judgements.restore, item_names(judgements))
    judged = set(zip(lists, items, strict=True))
    new = [key not in judged for key in zip(run.qid, run.item_ids, strict=True)]
    qid, item_ids = np.append(lists, run.qid[new]), np.append(items, run.item_ids[new])
    labels = np.append(judgements.restore(judgements.y), np.full(sum(new), np.nan))
    return RankingDataset(np.empty((len(qid), 0)), labels, qid, item_ids)


def _is_one_word(name: str) -> bool:
    word = name.encode()
    return word.split() == [word] and not name.startswith("\ufeff")


def _apart_in_single_precision(ranked: Ranked) -> list[float]:
    """Return the scores, changed only where different ones of a list would be equal in single precision.

    With the single-precision numbers counted upwards, level k of a list (from the best, equal scores
    sharing a level) gets number n_k = min(own number, n_{k-1} - 1), a running minimum of own number + k.
    """
    with np.errstate(over="ignore"):
        own = _count_of_single(ranked.scores.astype(np.float32))
    starts = np.flatnonzero(ranked.ranks == 1)
    falls = np.append(False, ranked.scores[1:] != ranked.scores[:-1])
    level = np.cumsum(falls)
    number = (
        np.concatenate([np.minimum.accumulate(part) for part in np.split(own + level, starts[1:])]) - level
    )
    largest = _count_of_single(np.finfo(np.float32).max)
    if (abs(number) > largest).any():
        raise ValueError(
            "Scores in a run must lie within single precision, 3.4e38. Divide them by a constant, or use "
            "write_scores."
        )
    return np.where(number == own, ranked.scores, _single_of_count(number)).tolist()


def _count_of_single(values: Any) -> Integers:
    """Give every single-precision number its place in their order, counted from 0."""
    bits = np.asarray(values, dtype=np.float32).view(np.int32).astype(np.int64)
    return np.where(bits >= 0, bits, -(bits & 0x7FFFFFFF))


def _single_of_count(number: Integers) -> Floats:
    bits = np.where(number >= 0, number, -number | 0x80000000).astype(np.uint32)
    return bits.view(np.float32).astype(np.float64)
