"""Reading lists: items with all their columns, best first; decisions that were filled in come back."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from semirank.core.arrays import Booleans, Integers
from semirank.dataset import RankingDataset
from semirank.readers.records import Records, spell_cell
from semirank.readers.roles import ColumnChoice, find_roles
from semirank.readers.scores import Scores, check_scores, item_names
from semirank.spelling import option

ROW = "row"  # names the items of data without names: from 1, in the order of the file


def reading_list(
    records: Records | None,
    data: RankingDataset,
    scores: Any,
    *,
    everything: bool = False,
    top: int | None = None,
    among: Integers | None = None,
    why: Any = None,
) -> Records:
    """Order the items of each list by their scores, with every column that they have.

    Parameters
    ----------
    records : Records or None
        The items as they were read, in the order of the data; None where they have no other columns.
    data : RankingDataset
        The same items.
    scores : array of shape (n_items,)
        In the caller's order.
    everything : bool
        Also give items that have a label.
    top : int, optional
        Give so many items of each list.
    among : int array, optional
        Give these items, by their rows, in this order, whatever their rank.
    why : callable, optional
        From the rows of items, in the caller's order, to a sentence for each.

    Returns
    -------
    Records
        The columns rank, score, why (if given) and row (where items have no names), then those of the data.
    """
    rows, ranks = order_items(data, scores, None if everything else np.isnan(data.restore(data.y)), top)
    if among is not None:
        place = dict(zip(rows.tolist(), ranks.tolist(), strict=True))
        rows, ranks = among, np.array([place[row] for row in among.tolist()], dtype=np.int64)
    own = {
        "rank": ranks.tolist(),
        "score": np.asarray(scores, dtype=np.float64)[rows].tolist(),
        **({} if why is None else {"why": list(why(rows))}),
        **({ROW: (rows + 1).tolist()} if data.item_ids is None else {}),
    }
    return (_plain(data) if records is None else records).take(rows).with_columns(own, {})


def order_items(
    data: RankingDataset, scores: Any, among: Booleans | None = None, top: int | None = None
) -> tuple[Integers, Integers]:
    """Return the rows of items in the order of their lists and scores, and their ranks among those given.

    `among` marks items in the caller's order. Equal scores are ordered by descending name, as in trec_eval.
    """
    values = check_scores(data, scores)
    _, names = item_names(data)
    name_rank = np.unique(names, return_inverse=True)[1]
    order = np.lexsort((-name_rank, -values, data.list_of_item))
    if among is not None:
        order = order[data.arrange(np.asarray(among))[order]]
    lists = data.list_of_item[order]
    starts = np.searchsorted(lists, lists)
    ranks = np.arange(len(order)) - starts + 1
    if top is not None:
        order, ranks = order[ranks <= top], ranks[ranks <= top]
    return data.order[order], ranks


def scores_in(records: Records) -> Scores:
    """Return the scores of a reading list, by the names of lists and items or by the rows of the data."""
    if "score" not in records.columns:
        raise ValueError(f"{records.name}: has no column 'score'. A TREC run ends in .run.")
    roles = _roles(records, {})
    by_row = roles["item"] is None and ROW in records.columns
    if roles["item"] is None and not by_row:
        raise ValueError(f"{records.name}: has no column that names the items (item or row).")
    items = records.columns[ROW if by_row else roles["item"] or ""]
    names = [str(int(item) - 1) for item in items] if by_row else list(map(spell_cell, items))
    lists = ["0"] * len(records) if roles["qid"] is None else map(spell_cell, records.columns[roles["qid"]])
    lines = records.lines().numbers("score", "every item needs a score")
    return Scores.of(zip(lists, names, lines.tolist(), strict=True), records.name)


def _plain(data: RankingDataset) -> Records:
    """Return the names and labels of items that have no other columns."""
    lists, items = (data.restore(names).tolist() for names in item_names(data))
    labels = [None if label != label else label for label in data.restore(data.y).tolist()]
    columns = {"qid": lists, "item": items, "label": labels}
    return Records("data", columns, range(1, data.n_items + 1))


@dataclass(frozen=True, eq=False)
class Merged:
    """Records with decisions in them, and how many of these are new, known already, and other than before."""

    records: Records
    n_new: int
    n_same: int
    n_changed: int
    n_unknown: int


def merge_decisions(
    records: Records,
    decisions: Records,
    *,
    label: ColumnChoice = None,
    item: ColumnChoice = None,
    qid: ColumnChoice = None,
    replace: bool = False,
    ignore_unknown: bool = False,
) -> Merged:
    """Put the labels of some records into others, matched by the names of the items (and lists).

    Data without names of items are matched by the column ``row`` of a reading list. Empty labels decide
    nothing.

    Raises
    ------
    ValueError
        When decisions contradict each other or, unless `replace`, labels that are there already; when they
        name items that are not there, unless `ignore_unknown`. Nothing is merged then.
    """
    given = {"label": label, "item": item, "qid": qid}
    ours, theirs = _roles(records, given), _roles(decisions, given)
    places = _places(records, ours)
    column = ours["label"] or theirs["label"] or "label"
    cells = list(records.columns.get(column, [None] * len(records)))
    counts = {"new": 0, "same": 0, "changed": 0, "unknown": 0}
    for key, (decision, row) in _decided(decisions, theirs, by_row=ours["item"] is None).items():
        if key not in places:
            counts["unknown"] += 1
            if not ignore_unknown:
                raise ValueError(
                    f"{decisions.name}:{row}: {records.name} has no item {key[-1]!r}. Check that the "
                    f"decisions belong to these data, or say {option('ignore_unknown', True)}."
                )
            continue
        before = _label(cells[places[key]])
        kind = "new" if before is None else "same" if before == decision else "changed"
        counts[kind] += 1
        if kind == "changed" and not replace:
            raise ValueError(
                f"{decisions.name}:{row}: item {key[-1]!r} is decided as {decision!r}, but {records.name} "
                f"says {before!r}. To take the decision, say {option('replace', True)}."
            )
        cells[places[key]] = decision
    merged = records.replaced(column, cells)
    return Merged(merged, *(counts[kind] for kind in ("new", "same", "changed", "unknown")))


def _roles(records: Records, given: dict[str, Any]) -> dict[str, str | None]:
    """Find the columns of label, item and list; one that the caller names need not be in both files."""
    columns = list(records.columns)
    chosen = {role: name for role, name in given.items() if name is False or name in columns}
    try:
        found = find_roles(columns, **chosen, features=[])
    except ValueError as error:
        if "for the label" not in str(error):
            raise ValueError(f"{records.name}: {error}") from error
        found = find_roles(columns, **{**chosen, "label": False}, features=[])
    return {"label": found.label, "item": found.item, "qid": found.qid}


Key = tuple[str, ...]


def _places(records: Records, roles: dict[str, str | None]) -> dict[Key, int]:
    if roles["item"] is None:
        return {(str(place + 1),): place for place in range(len(records))}
    places: dict[Key, int] = {}
    for place, key in enumerate(_keys(records, roles)):
        if places.setdefault(key, place) != place:
            raise ValueError(
                f"{records.name}:{records.rows[place]}: the item {key[-1]!r} is there a second time; the "
                f"first is {records.rows[places[key]]}. Decisions need names that differ."
            )
    return places


def _keys(records: Records, roles: dict[str, str | None]) -> Iterable[Key]:
    names = [roles[role] for role in ("qid", "item")]
    return zip(*(map(spell_cell, records.columns[name]) for name in names if name is not None), strict=True)


def _decided(decisions: Records, roles: dict[str, str | None], *, by_row: bool) -> dict[Key, tuple[Any, int]]:
    """Return the decision on each item that has one, with the row where it stands."""
    if roles["label"] is None:
        raise ValueError(f"{decisions.name}: has no column of labels (say {option('label', ...)}).")
    if by_row and ROW not in decisions.columns:
        raise ValueError(
            f"{decisions.name}: neither file names the items; there is no column {ROW!r} either."
        )
    if not by_row and roles["item"] is None:
        raise ValueError(f"{decisions.name}: has no column that names the items (say {option('item', ...)}).")
    keys = ((spell_cell(cell),) for cell in decisions.columns[ROW]) if by_row else _keys(decisions, roles)
    found: dict[Key, tuple[Any, int]] = {}
    labels = map(_label, decisions.columns[roles["label"]])
    for key, label, row in zip(keys, labels, decisions.rows, strict=True):
        if label is not None and found.setdefault(key, (label, row))[0] != label:
            first, place = found[key]
            raise ValueError(
                f"{decisions.name}:{row}: item {key[-1]!r} is decided as {label!r} here and as {first!r} in "
                f"row {place}. Keep one of them."
            )
    return found


def _label(cell: Any) -> Any:
    """Return a label as a number where it is one, otherwise as a word; None where the cell is empty."""
    text = spell_cell(cell).strip()
    try:
        number = float(text)
    except ValueError:
        return text or None
    return None if number != number else int(number) if number.is_integer() else number
