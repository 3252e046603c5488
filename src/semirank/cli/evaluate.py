"""``semirank evaluate``: how good scores are."""

from typing import Annotated, Any, Literal

import typer

import semirank
from semirank.cli.options import Out, Reading, Speaking, list_rows, metric_rows


def evaluate(
    reading: Reading,
    speaking: Speaking,
    scores: Annotated[
        str, typer.Argument(metavar="SCORES", help="What `semirank rank` wrote, or a TREC run (.run).")
    ],
    metric: Annotated[list[str], typer.Argument(metavar="METRIC...", help="nDCG@10, AP, P@50, AUC ...")],
    per_list: Annotated[bool, typer.Option("--per-list", help="One row for each list.")] = False,
    missing: Annotated[
        Literal["error", "last"],
        typer.Option(help="What to do with items that have no score: stop, or put them last in their list."),
    ] = "error",
    unknown: Annotated[
        Literal["error", "ignore"],
        typer.Option(help="What to do with scores of items that are not in the data."),
    ] = "error",
    ties: Annotated[
        Literal["expected", "trec"],
        typer.Option(help="Equal scores: the mean over all their orders, or the order of trec_eval."),
    ] = "expected",
    unjudged: Annotated[
        Literal["ignore", "irrelevant"],
        typer.Option(help="Items without a label: left out, or counted as irrelevant as in trec_eval."),
    ] = "ignore",
    trec: Annotated[
        bool,
        typer.Option(
            "--trec",
            help="Count as trec_eval and ir_measures do: linear gain, ties by item id, items without a label "
            "irrelevant, items without a score not retrieved, and 0 where a metric is undefined.",
        ),
    ] = False,
    out: Out = None,
) -> None:
    """Measure scores against the labels of the data: mean over lists, or each list.

    Lists where a metric is undefined are counted, not averaged; with --trec they are 0. With qrels as DATA,
    items that only the scores name are taken as items without a label.
    """
    for name in metric:
        try:
            semirank.metrics.parse(name)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None
    data = reading.open()
    speaking.say(repr(data))
    ranking = semirank.readers.read_ranking(scores)
    if data.n_features == 0 and data.texts is None:
        data = semirank.readers.add_unjudged(data, ranking)
    options: dict[str, Any] = {"ties": ties, "unlabelled": unjudged}
    if trec:
        data, options = data.select(data.labelled_per_list > 0), {"trec": True}
    given = ranking.for_dataset(
        data, missing="unretrieved" if trec else missing, unknown="ignore" if trec else unknown
    )
    result = semirank.evaluate(data, given, metric, **options)
    speaking.show(list_rows(result) if per_list else metric_rows(result), out)
