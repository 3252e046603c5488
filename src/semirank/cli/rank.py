"""``semirank rank``: scores for every item."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import semirank
from semirank.cli.options import Out, Reading, Seed, Speaking, metric_rows, ranking_rows
from semirank.cli.ranking import AUTO, RankerName, Settings, fit_on, for_items, items_of, make_ranker
from semirank.files import STDIO

if TYPE_CHECKING:
    from semirank.dataset import RankingDataset


def rank(
    reading: Reading,
    speaking: Speaking,
    ranker: RankerName = AUTO,
    setting: Settings = None,
    model: Annotated[Path | None, typer.Option(help="Rank with this fitted model instead.")] = None,
    top: Annotated[int | None, typer.Option(min=1, help="Give the best N items of each list only.")] = None,
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

    The output has the columns qid, item and score; a file that ends in .run is written as a TREC run,
    one that ends in .csv with commas, any other with tabs.
    """
    if metric and keep is None:
        raise typer.BadParameter("--metric measures hidden labels: it needs --keep.")
    if keep is not None and model is not None:
        raise typer.BadParameter(
            "--keep hides labels from a ranker that is fitted now; it cannot go with --model."
        )
    chosen = make_ranker(ranker, setting, seed) if model is None else semirank.load_model(model)
    truth = reading.open(**({} if model is None else {"label": False}))
    data = truth if keep is None else truth.hide_labels(keep=keep, keep_levels=True, random_state=seed)
    speaking.say(repr(data))
    scores = data.restore(_fitted(chosen, data, speaking) if model is None else _predicted(chosen, data))
    if (keep is None or out is not None) and speaking.json:
        speaking.show(ranking_rows(semirank.readers.rank_items(data, scores, top)), out)
    elif keep is None or out is not None:
        semirank.readers.write_ranking(data, scores, out or STDIO, top=top)
    if keep is not None:
        names = metric or ["nDCG@10", "AP", "AUC"]
        hidden = truth.hidden_from(data)
        speaking.say("On the hidden labels:")
        speaking.show(metric_rows(semirank.evaluate(hidden, scores, names)))


def _fitted(ranker: Any, data: "RankingDataset", speaking: Speaking) -> Any:
    return fit_on(for_items(ranker, data), data, speaking).scores_


def _predicted(model: Any, data: "RankingDataset") -> Any:
    return model.predict(items_of(data, model), data.qid)
