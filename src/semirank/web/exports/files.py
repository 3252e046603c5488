"""Records and judgments as files, each in a format that others read."""

import csv
import io
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from semirank.dataset import RankingDataset
from semirank.readers import write_letor, write_qrels, write_records, write_run
from semirank.readers.records import Records, spell_cell
from semirank.web.exports.table import chosen_rows, records
from semirank.web.session import Session
from semirank.web.views import View

FORMATS = {  # name: (ending, type)
    "csv": ("csv", "text/csv; charset=utf-8"),
    "spreadsheet": ("csv", "text/csv; charset=utf-8"),
    "xlsx": ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "parquet": ("parquet", "application/vnd.apache.parquet"),
    "ris": ("ris", "application/x-research-info-systems"),
    "bib": ("bib", "application/x-bibtex; charset=utf-8"),
    "qrels": ("qrels", "text/plain; charset=utf-8"),
    "run": ("run", "text/plain; charset=utf-8"),
    "letor": ("letor", "text/plain; charset=utf-8"),
    "json": ("json", "application/json"),
}
_FIELDS = {"journal": "journal_name"}  # columns that references call otherwise
RECORDS = ("csv", "spreadsheet", "xlsx", "parquet", "ris", "bib", "json")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_OWN = (
    "rank",
    "score",
    "verdict",
    "grade",
    "who",
    "when",
    "order",
    "why",
    "group",
)  # nothing for a reference


def export(session: Session, view: View, format: str, which: str, order: str) -> bytes:
    """Return items in a format; the caller holds the view's `ranking`."""
    rows = chosen_rows(session, view, which, order)
    if format not in RECORDS:
        return _judgments(session, view, format, rows)
    made = records(session, view, rows, why=format not in ("ris", "bib"))
    if format == "json":
        return json.dumps(list(_plain(made)), ensure_ascii=False, indent=1).encode()
    if format == "spreadsheet":
        return _spreadsheet(made)
    return _written(_reference(made) if format in ("ris", "bib") else made, FORMATS[format][0])


def _written(made: Records, ending: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"export.{ending}"
        write_records(made, path)
        return path.read_bytes()


def _reference(made: Records) -> Records:
    """Leave out what reference managers have no place for; decisions go into the notes."""
    kept = {_FIELDS.get(name, name): cells for name, cells in made.columns.items() if name not in _OWN}
    if "authors" in kept:
        kept["authors"] = [c.split("; ") if isinstance(c, str) and c else c for c in kept["authors"]]
    return Records(made.name, kept, made.rows)


def _plain(made: Records) -> Any:
    for record in made.each():
        yield {
            name: cell if isinstance(cell, (int, float, list)) else spell_cell(cell)
            for name, cell in record.items()
        }


def _spreadsheet(made: Records) -> bytes:
    """Write CSV that no spreadsheet takes for formulas: an apostrophe goes before what could be one."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(map(_harmless, made.columns))
    for cells in zip(*made.columns.values(), strict=True):
        writer.writerow(
            [cell if isinstance(cell, (int, float)) else _harmless(spell_cell(cell)) for cell in cells]
        )
    return text.getvalue().encode("utf-8-sig")


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _judgments(session: Session, view: View, format: str, rows: list[int]) -> bytes:
    """Write labels or scores as TREC and LETOR have them."""
    items, state = session.items, view.folded
    qid = ["all"] * len(rows) if items.qid is None else [items.qid[row] or "all" for row in rows]
    names = np.array([_one_word(items.ids[row]) for row in rows], dtype=object)
    lists = np.array([_one_word(each) for each in qid], dtype=object)
    features = session.vectors[rows] if format == "letor" else np.zeros((len(rows), 1))
    scores = view.published.order.scores
    data = RankingDataset(features, state.y[rows], lists, names)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export"
        if format == "qrels":
            write_qrels(data, path)
        elif format == "run":
            known = np.array([scores[row] if row < len(scores) else np.nan for row in rows])
            write_run(data, np.nan_to_num(known, nan=-1e30), path)
        else:
            write_letor(data, path)
        return path.read_bytes()


def _one_word(name: str) -> str:
    """Return a name without blanks, which separate columns there."""
    return "_".join(name.split()) or "_"
