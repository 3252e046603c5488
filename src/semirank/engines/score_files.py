"""One file of scores for each part: whole or absent, so that what was stopped goes on."""

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

from semirank.core.arrays import Floats
from semirank.dataset import RankingDataset
from semirank.dataset.parts import Part, Parts
from semirank.files import open_output

ABOUT = "scores.json"  # which model and which parts the files of a folder belong to


def prepare_folder(folder: str | os.PathLike[str], parts: Parts, model: str) -> list[Part]:
    """Make a folder for the scores of parts; return the parts that have none there yet.

    model : what tells this model from others.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    about = {"model": model, "parts": [f"{part.name}: {part.n_items} items" for part in parts]}
    if (folder / ABOUT).exists():
        if json.loads((folder / ABOUT).read_text()) != about:
            raise ValueError(
                f"{folder}: holds scores of another model or of other parts. Give another folder."
            )
    else:
        with open_output(folder / ABOUT) as stream:
            stream.write(json.dumps(about, indent=1).encode())
    return [part for part in parts if not score_file(folder, part).exists()]


def score_file(folder: str | os.PathLike[str], part: Part) -> Path:
    """Return where the scores of a part are."""
    return Path(folder) / f"part-{part.number:06d}.tsv"


def write_scores(part: Part, folder: str, ranker: Any) -> None:
    """Score the items of a part by what a ranker has learned, and write the scores."""
    data = part.read()
    scores = ranker.predict(data.X if data.texts is None else data.texts, data.qid)
    write_file(part, folder, data, scores)


def write_file(part: Part, folder: str, data: RankingDataset, scores: Floats) -> None:
    """Write list, item and score, in the order of the data.

    Items without a name go by their row in the part, from 0.
    """
    names = range(data.n_items) if data.item_ids is None else data.restore(data.item_ids).tolist()
    rows = zip(data.restore(data.qid).tolist(), names, data.restore(scores).tolist(), strict=True)
    with open_output(score_file(folder, part)) as stream:
        text = io.TextIOWrapper(stream, "utf-8", newline="")
        writer = csv.writer(text, delimiter="\t", lineterminator="\n")
        writer.writerow(("qid", "item", "score"))
        writer.writerows((qid, name, repr(score)) for qid, name, score in rows)
        text.flush()
        text.detach()
