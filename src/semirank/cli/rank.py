"""``semirank rank``: a reading list, best first."""

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import typer

import semirank
from semirank.cli.options import Out, Reading, Seed, Speaking, metric_rows
from semirank.cli.ranking import (
    AUTO,
    RankerName,
    Settings,
    fit_on,
    for_items,
    items_of,
    make_ranker,
    titles_of,
)
from semirank.cli.streaming import Streaming, rank_streamed
from semirank.files import STDIO

if TYPE_CHECKING:
    from semirank.dataset import RankingDataset
    from semirank.readers.records import Records

ON_SCREEN = ("rank", "score", "row", "item", "id", "record_id", "qid", "title", "text")
"""Columns that a terminal shows; a file has all of them."""
SHOWN = 20  # rows on a terminal, unless --top or --next says how many
EXPLAINED = 100  # items of a reading list that get a sentence why


def rank(
    reading: Reading,
    speaking: Speaking,
    streaming: Streaming,
    ranker: RankerName = AUTO,
    setting: Settings = None,
    model: Annotated[Path | None, typer.Option(help="Rank with this fitted model instead.")] = None,
    top: Annotated[int | None, typer.Option(min=1, help="Give the best N items of each list only.")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also give items that have a label; otherwise only those without.")
    ] = False,
    next_: Annotated[
        int | None, typer.Option("--next", min=1, help="Give the N items to label now, by --mode.")
    ] = None,
    mode: Annotated[
        Literal["top", "uncertain", "spread", "random"],
        typer.Option(help="With --next: the best, the undecided, new topics among the best, or any."),
    ] = "top",
    keep: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Trial: hide all but N labels of each list (one of each level at least), "
            "and print metrics on the hidden ones. Scores are then written only with -o.",
        ),
    ] = None,
    metric: Annotated[
        list[str] | None, typer.Option(help="With --keep: what to measure; repeat for several.")
    ] = None,
    out: Out = None,
    seed: Seed = 0,
) -> None:
    """Rank the items of each list, best first, from the labels that the data have.

    Without --ranker, held-out labels choose one, and what was chosen and why goes to standard error.

    The output is a reading list: rank, score and why (of the first hundred), then every column of the data,
    of the items that have no label yet. Fill in the column of labels, and `semirank label DATA LIST` takes
    your decisions over. The ending of -o tells the format: .csv .tsv .xlsx .parquet .ris .bib, or .run for a
    TREC run.

    With --stream the data may be larger than memory: a folder or a pattern ('DIR/*.parquet') of Parquet or
    LETOR files, ranked with a --model, or by a --ranker that ranks each list by its own labels. -o is then a
    folder, with one file of scores for each part; what was stopped goes on when it is called again.
    """
    if streaming.wanted:
        chosen = make_ranker(ranker, setting, seed) if model is None else semirank.load_model(model)
        rank_streamed(chosen, reading, speaking, streaming, out)
        return
    if metric and keep is None:
        raise typer.BadParameter("--metric measures hidden labels: it needs --keep.")
    if mode != "top" and next_ is None:
        raise typer.BadParameter("--mode chooses the items of --next N.")
    if keep is not None and model is not None:
        raise typer.BadParameter(
            "--keep hides labels from a ranker that is fitted now; it cannot go with --model."
        )
    if out is not None and not speaking.json and not semirank.readers.is_run(str(out)):
        semirank.readers.format_to_write(out)  # before the work: it must not be lost
    chosen = make_ranker(ranker, setting, seed) if model is None else semirank.load_model(model)
    truth = reading.open(**({} if model is None else {"label": False}))
    data = truth if keep is None else truth.hide_labels(keep=keep, keep_levels=True, random_state=seed)
    speaking.say(repr(data))
    if model is None:
        chosen = fit_on(for_items(chosen, data), data, speaking)
    scores = data.restore(
        chosen.scores_ if model is None else chosen.predict(items_of(data, chosen), data.qid)
    )
    _say_empty(data, speaking)
    if keep is None or out is not None:
        among = None if next_ is None else _next(data, scores, mode, next_, seed)
        tells = model is None and isinstance(chosen, semirank.AutoRanker)
        why = partial(_why, chosen, data, reading) if tells else None
        _give(reading, data, scores, speaking, out, everything=everything, top=top, among=among, why=why)
    if keep is not None:
        names = metric or ["nDCG@10", "AP", "AUC"]
        hidden = truth.hidden_from(data)
        speaking.say("On the hidden labels:")
        speaking.show(metric_rows(semirank.evaluate(hidden, scores, names)))


def _give(
    reading: Reading,
    data: "RankingDataset",
    scores: Any,
    speaking: Speaking,
    out: Path | None,
    *,
    everything: bool,
    top: int | None,
    among: Any,
    why: Any,
) -> None:
    """Write the reading list to a file, or show it."""
    if data.labelled.all() and not everything:
        speaking.say("Every item has a label: all of them are given.")
        everything = True
    if out is not None and semirank.readers.is_run(str(out)):
        wanted = data.take(~data.labelled | everything)
        of_wanted = wanted.restore(data.arrange(scores)[~data.labelled | everything])
        semirank.readers.write_ranking(wanted, of_wanted, out, top=top)
        return
    on_screen = out is None and not speaking.json and sys.stdout.isatty()
    listed = semirank.readers.reading_list(
        reading.records(),
        data,
        scores,
        everything=everything,
        top=top,
        among=among,
        why=None if on_screen else why,
    )
    if on_screen:
        _show(listed, speaking, len(listed) if top or among is not None else SHOWN)
    elif speaking.json:
        speaking.show(_rows(listed, list(listed.columns)), out)
    else:
        semirank.readers.write_records(listed, out or STDIO, format=None if out else "tsv")


def _next(data: "RankingDataset", scores: Any, mode: str, n: int, seed: int) -> Any:
    """Return the rows to label now."""
    rows = np.argsort(data.order)
    features = data.X if data.texts is None else semirank.features.TfIdf().fit_transform(data.texts)
    lists, names = semirank.readers.item_names(data)
    items = semirank.feedback.Items(
        names[rows].tolist(), features[rows], lists[rows].tolist() if data.n_lists > 1 else None
    )
    return semirank.feedback.next_items(
        items, data.y[rows], np.asarray(scores), mode, n, vectors=features[rows], seed=seed
    )


def _why(ranker: Any, data: "RankingDataset", reading: Reading, rows: Any) -> list[str]:
    """Say of the first items why they stand there; the ranker knows them in the order of their lists."""
    names, places = titles_of(reading, data), np.argsort(data.order)
    return [
        semirank.feedback.sentence(ranker, int(places[row]), names, data.y) if at < EXPLAINED else ""
        for at, row in enumerate(rows)
    ]


def _show(listed: "Records", speaking: Speaking, most: int) -> None:
    """Show the first rows on a terminal, one line each."""
    columns = [name for name in listed.columns if name.lower() in ON_SCREEN]
    shown = _rows(listed.take(range(min(most, len(listed)))), columns)
    speaking.show([{name: _on_one_line(cell) for name, cell in row.items()} for row in shown])
    if len(listed) > most:
        speaking.say(f"{most} of {len(listed):,}; all of them, with every column and why: -o FILE.csv")


def _on_one_line(cell: Any) -> Any:
    return " ".join(cell.split()) if isinstance(cell, str) else cell


def _rows(listed: "Records", columns: list[str]) -> list[dict[str, Any]]:
    cells = zip(*(listed.columns[name] for name in columns), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in cells]


def _say_empty(data: "RankingDataset", speaking: Speaking) -> None:
    if data.texts is not None and (empty := sum(not text.strip() for text in data.texts)):
        speaking.say(f"{empty} items have no text and stand last.")
