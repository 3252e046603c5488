"""Lists of documents that were ranked, judged, or both: a run, its qrels, and a table of the documents."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import numpy as np

from semirank.core.arrays import Floats
from semirank.dataset import RankingDataset
from semirank.files import ending_of
from semirank.readers import read_qrels, read_records
from semirank.readers.formats import FORMATS, is_run
from semirank.readers.records import Records, spell_cell
from semirank.readers.roles import USUAL_NAMES
from semirank.readers.scores import Scores
from semirank.readers.trec import add_unjudged, read_run

Kind = Literal["run", "qrels", "documents"]


def kind_of(name: str) -> Kind:
    """Tell by the name of a file what it says of lists."""
    if is_run(name):
        return "run"
    return "qrels" if ending_of(name) in FORMATS["qrels"] else "documents"


def read_lists(files: Mapping[Kind, Path], name: str) -> tuple[Records, Floats | None]:
    """Read each document of each list once, the best of a list first; and the scores of the run.

    Documents that were judged but not retrieved stand at the end of their list.
    """
    run = read_run(files["run"]) if "run" in files else None
    data = read_qrels(files["qrels"]) if "qrels" in files else _unjudged(run)
    data = data if run is None else add_unjudged(data, run)
    scores = np.zeros(data.n_items) if run is None else run.for_dataset(data, missing="last")
    lists, ids, labels = data.restore(data.qid), data.restore(data.item_ids), data.restore(data.y)
    order = np.lexsort((-scores, data.restore(data.list_of_item)))
    columns = {"list": lists[order].tolist(), "id": ids[order].tolist()}
    if "qrels" in files:
        columns["label"] = [None if label != label else label for label in labels[order].tolist()]
    records = Records(name, columns, range(1, len(order) + 1))
    return records, None if run is None else scores[order, None]


def _unjudged(run: Scores | None) -> RankingDataset:
    assert run is not None
    labels = np.full(len(run), np.nan)
    return RankingDataset(np.empty((len(run), 0)), labels, run.qid, run.item_ids)


def with_documents(records: Records, path: Path) -> tuple[Records, int]:
    """Put the columns of a table of documents beside the items, by id, and count those that it lacks."""
    table = read_records(path)
    column = next((name for name in table.columns if name.strip().lower() in USUAL_NAMES["item"]), None)
    if column is None:
        names = ", ".join(USUAL_NAMES["item"])
        raise ValueError(f"{path}: has no column that names the documents. Call it one of {names}.")
    place = {spell_cell(cell): row for row, cell in enumerate(table.columns[column])}
    rows = [place.get(each) for each in records.columns["id"]]
    more = {
        name: ["" if row is None else cells[row] for row in rows]
        for name, cells in table.columns.items()
        if name != column and name not in records.columns
    }
    return records.with_columns({}, more), rows.count(None)
