"""LETOR and SVMlight text: ``label qid:ID index:value ... # comment``."""

import os
import re
from collections.abc import Sequence
from itertools import chain
from math import inf
from numbers import Integral
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array

from semirank.core.arrays import AnyArray
from semirank.core.threads import count_workers
from semirank.dataset import Features, RankingDataset, mark_unlabelled
from semirank.files import Source, name_of, open_output
from semirank.limits import FLAG, Between, Either, Limit, OneOf, check_limits
from semirank.readers.letor_blocks import Block, read_blocks
from semirank.readers.letor_lines import DENSE_FROM, format_items

MOST_FEATURES = 2**31 - 2
LIMITS: dict[str, Limit] = {
    "unlabelled": Either(Between(-inf, inf), OneOf("auto", None)),
    "sparse": OneOf(None, True, False),
    "n_features": Either(Between(1, MOST_FEATURES, Integral), OneOf(None)),
    "zero_based": FLAG,
    "n_jobs": Either(Between(1, inf, Integral), OneOf(-1, None)),
    "decimals": Either(Between(0, 17, Integral), OneOf(None)),
}

_LARGE = 1 << 24  # cells; beyond it, a dense matrix with fewer entries than one in a thousand is refused
_MOST_THREADS = 8  # one thread reads the file for all of them
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,18}")


def read_letor(
    source: Source | Sequence[Source],
    *,
    unlabelled: float | Literal["auto"] | None = "auto",
    sparse: bool | None = None,
    n_features: int | None = None,
    zero_based: bool = False,
    n_jobs: int | None = None,
) -> RankingDataset:
    r"""Read LETOR or SVMlight text, compressed or not, from one or several files.

    Each line is an item: a label, its list, its features and perhaps a comment::

        2 qid:10 1:0.5 3:NULL 4:-1e-3 # docid = GX008-86-4444840

    Features that are not named are 0, and ``NULL`` is NaN (see `RankingDataset.fill_missing`). Without any
    qid all items are one list. When every qid is a whole number, so are the ids of the lists; otherwise they
    are strings. Of a comment ``docid = X`` the X is the id of the item, of any other comment all of it; a
    line without comment has the id "". Text that is not UTF-8 is shown as ``\xNN``. Empty lines and lines
    that start with # are skipped.

    Parameters
    ----------
    source : path, "-", binary stream, or a sequence of them
        Several files are read as one; the same qid in two files is the same list.
    unlabelled : float, "auto" or None
        The label that means "unlabelled"; nan always does. "auto": -1, if all other labels are at least 0.
    sparse : bool, optional
        Whether X is a CSR matrix. By default it is when the file names less than a quarter of its cells.
    n_features : int, optional
        Number of columns; by default the largest index.
    zero_based : bool
        Whether the first feature is 0 rather than 1.
    n_jobs : int, optional
        Number of threads for files larger than 2 MB; by default one for each core, but at most 8.

    Raises
    ------
    ValueError
        With file and line, for the first line that is malformed.

    See Also
    --------
    write_letor : the way back.
    open_parts : more than fits into memory.

    Notes
    -----
    Numbers are the same doubles as `float` gives. The text is read in blocks; at the peak about twice
    the memory of X is in use.

    Examples
    --------
    >>> import io
    >>> from semirank.readers.letor import read_letor
    >>> data = read_letor(io.BytesIO(b"2 qid:7 1:0.5 2:1 # docid = a\n-1 qid:7 2:3 # docid = b\n"))
    >>> data
    RankingDataset(1 lists, 2 items, 2 features, 1 labelled, 1 unlabelled)
    >>> data.X
    array([[0.5, 1. ],
           [0. , 3. ]])
    >>> data.item_ids
    array(['a', 'b'], dtype=object)
    """
    _check_options(
        unlabelled=unlabelled, sparse=sparse, n_features=n_features, zero_based=zero_based, n_jobs=n_jobs
    )
    sources: list[Any] = [source] if _is_one(source) else list(source)  # type: ignore[arg-type]
    if not sources:
        raise ValueError("There is no file to read: the sequence of sources is empty.")
    lowest = 0 if zero_based else 1
    highest = lowest - 1 + (n_features or MOST_FEATURES)
    blocks = read_blocks(sources, lowest, highest, _n_threads(n_jobs))
    try:
        y, _ = mark_unlabelled(np.concatenate([block.labels for block in blocks]), unlabelled)
        qid, item_ids = _qid(blocks), _item_ids(blocks)
        return RankingDataset(_features(blocks, n_features, sparse), y, qid, item_ids)
    except ValueError as error:
        raise ValueError(f"{', '.join(str(name_of(one)) for one in sources)}: {error}") from None


def write_letor(
    data: RankingDataset,
    target: str | os.PathLike[str],
    *,
    decimals: int | None = None,
) -> None:
    """Write a dataset as LETOR text, whole or not at all, items in the order in which they were given.

    What is written is read back by `read_letor` as the same data, and written again as the same bytes:
    numbers have the fewest digits that stand for the same double, missing features are ``NULL``. Unlabelled
    items get the label -1 if no label is negative, else ``nan``. The id of an item becomes the comment
    ``#docid = X``, or ``# X`` if it has blanks. Zeros are left out if they are more than three quarters of
    X; then the first line names the last feature nevertheless, which keeps the width. The names of features
    and texts of items have no place in the format.

    Parameters
    ----------
    data : RankingDataset
    target : path, or "-" for standard output
        The endings .gz, .xz, .bz2 and .zip compress.
    decimals : int, optional
        Round features to this many decimals.

    Raises
    ------
    ValueError
        If an id or qid could not be read back. Nothing is written then.

    Warns
    -----
    DataWarning
        If an item has the label -1, which by default is read as "unlabelled".

    See Also
    --------
    read_letor : the way back.

    Examples
    --------
    >>> from math import nan
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from semirank import RankingDataset
    >>> from semirank.readers.letor import write_letor
    >>> data = RankingDataset([[0.5, 0.0], [nan, 3.0]], [2, nan], qid=[7, 7], item_ids=["a", "b c"])
    >>> with TemporaryDirectory() as folder:
    ...     write_letor(data, f"{folder}/data.txt")
    ...     print(Path(folder, "data.txt").read_text(), end="")
    2 qid:7 1:0.5 2:0 #docid = a
    -1 qid:7 1:NULL 2:3 # b c
    """
    _check_options(decimals=decimals)
    texts = format_items(data, decimals)
    with open_output(target) as stream:
        stream.writelines(texts)


def _check_options(**options: Any) -> None:
    check_limits({name: LIMITS[name] for name in options}, options)


def _is_one(source: Source | Sequence[Source]) -> bool:
    return isinstance(source, (str, os.PathLike)) or hasattr(source, "read")


def _n_threads(n_jobs: int | None) -> int:
    return n_jobs if n_jobs is not None and n_jobs > 0 else min(count_workers(-1), _MOST_THREADS)


def _qid(blocks: list[Block]) -> AnyArray | None:
    """Give the list of each item, as numbers if all of them are."""
    if blocks[0].list_names is None:
        return None
    names = [name for block in blocks for name in block.list_names or ()]
    sizes = np.concatenate([np.diff(block.list_starts, append=len(block.labels)) for block in blocks])
    if all(_INTEGER.fullmatch(name) for name in names):
        numbers = [int(name) for name in names]
        if max(numbers) < 2**63 and min(numbers) >= -(2**63):
            return np.repeat(np.array(numbers, dtype=np.int64), sizes)
    return np.repeat(np.array(names, dtype=object), sizes)


def _item_ids(blocks: list[Block]) -> AnyArray | None:
    """Give the id of each item, if any has one."""
    if all(block.ids is None for block in blocks):
        return None
    ids = chain.from_iterable(
        [""] * len(block.labels) if block.ids is None else block.ids for block in blocks
    )
    return np.array(list(ids), dtype=object)


def _features(blocks: list[Block], n_features: int | None, sparse: bool | None) -> Features:
    """Build X; the blocks are used up, so that text and matrix are not held twice."""
    width = n_features or 1 + max(int(block.columns.max(initial=-1)) for block in blocks)
    shape = sum(len(block.labels) for block in blocks), width
    cells, entries = shape[0] * width, sum(len(block.values) for block in blocks)
    if sparse or (sparse is None and entries < DENSE_FROM * cells):
        return _sparse_matrix(blocks, shape)
    if cells > max(_LARGE, 1000 * entries):
        raise ValueError(
            f"A dense matrix of {shape[0]} x {width} for {entries} values is refused. Leave out sparse=False."
        )
    return _dense_matrix(blocks, shape)


def _sparse_matrix(blocks: list[Block], shape: tuple[int, int]) -> csr_array:
    """Join the blocks to a CSR matrix."""
    sizes = np.concatenate([np.diff(block.stops, prepend=0) for block in blocks])
    index_type = np.int32 if sizes.sum() < 2**31 else np.int64
    indptr = np.zeros(len(sizes) + 1, dtype=index_type)
    np.cumsum(sizes, out=indptr[1:])
    columns = [np.tile(b.columns, len(b.labels)) if b.alike else b.columns for b in blocks]
    indices = np.concatenate(columns, dtype=index_type)
    return csr_array((np.concatenate([block.values for block in blocks]), indices, indptr), shape=shape)


def _dense_matrix(blocks: list[Block], shape: tuple[int, int]) -> AnyArray:
    """Write the blocks into one array, each freed when it is done."""
    X = np.zeros(shape)
    stop = len(X)
    while blocks:
        block = blocks.pop()
        n_items = len(block.labels)
        rows = X[stop - n_items : stop]
        stop -= n_items
        if not block.alike:
            rows[np.repeat(np.arange(n_items), np.diff(block.stops, prepend=0)), block.columns] = block.values
        elif np.array_equal(block.columns, np.arange(len(block.columns))):
            rows[:, : len(block.columns)] = block.values.reshape(n_items, -1)
        else:
            rows[:, block.columns] = block.values.reshape(n_items, -1)
    return X
