"""Comparisons as tables: rows of plain values, and the same for data frames, papers and notebooks."""

import csv
import io
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from semirank import display
from semirank.results import sentences
from semirank.results.comparison import Comparison
from semirank.results.result import Interval, Result

FRAMES = ("pandas", "polars")
_SPECIAL = {each: f"\\{each}" for each in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def leaderboard(comparison: Comparison) -> list[dict[str, Any]]:
    """Return one row for each ranker, the best first; those that did not finish have no figures."""
    return [_row(each, comparison) for each in comparison.results]


def _row(result: Result, comparison: Comparison) -> dict[str, Any]:
    contrast = result.contrast
    return {
        "place": result.place,
        "name": result.name,
        "title": comparison.titles[result.name],
        "metric": comparison.metric,
        "mean": result.mean,
        **_ends("", result.interval),
        "baseline": result.baseline,
        "difference": contrast.difference if contrast else None,
        **_ends("difference_", contrast.interval if contrast else None),
        "p": contrast.p_adjusted if contrast else None,
        "verdict": contrast.verdict if contrast else None,
        "assumption": result.assumption,
        "fit_seconds": result.fit_seconds,
        "rank_seconds": result.rank_seconds,
        "status": result.status,
        "reason": result.reason,
        "ranker": result.ranker,
    }


def _ends(prefix: str, interval: Interval | None) -> dict[str, float | None]:
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    return {f"{prefix}low": low, f"{prefix}high": high}


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Write rows of the same columns as CSV."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def as_frame(rows: Sequence[Mapping[str, Any]], library: str | None = None) -> Any:
    """Return rows of the same columns as a data frame of pandas or polars.

    Without a `library`, the one that the program uses already, otherwise the one that is installed.
    """
    library = library or next(
        (name for known in (sys.modules.__contains__, find_spec) for name in FRAMES if known(name)), None
    )
    if library not in FRAMES or find_spec(library) is None:
        wanted = "pandas or polars" if library is None else library
        raise ImportError(f"A data frame needs {wanted}: pip install {library or FRAMES[0]}")
    columns = list(rows[0]) if rows else []
    return import_module(library).DataFrame({name: [row[name] for row in rows] for name in columns})


def as_latex(comparison: Comparison, caption: str | None = None, label: str | None = None) -> str:
    """Write the finished rankers as a table of LaTeX with the rules of booktabs, the best mean in bold."""
    rows = [each for each in leaderboard(comparison) if each["mean"] is not None]
    percent = rf"{100 * comparison.confidence:g}\,\%"
    head = ["Ranker", escaped(comparison.metric), f"{percent} interval", "Gain from unlabelled", "$p$"]
    body = [" & ".join(_latex_cells(row, bold=row["place"] == 1)) for row in rows]
    lines = [
        r"\begin{table}",
        r"  \centering",
        *([] if caption is None else [rf"  \caption{{{escaped(caption)}}}"]),
        *([] if label is None else [rf"  \label{{{label}}}"]),
        r"  \begin{tabular}{lrrrr}",
        r"    \toprule",
        rf"    {' & '.join(head)} \\",
        r"    \midrule",
        *(rf"    {line} \\" for line in body),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _latex_cells(row: Mapping[str, Any], bold: bool) -> list[str]:
    mean = f"{row['mean']:.3f}"
    interval = "" if row["low"] is None else f"[{row['low']:.3f}, {row['high']:.3f}]"
    gain = "" if row["difference"] is None else f"${row['difference']:+.3f}$"
    p = "" if row["p"] is None else "$<$0.001" if row["p"] < 0.001 else f"{row['p']:.3f}"
    return [escaped(row["title"]), rf"\textbf{{{mean}}}" if bold else mean, interval, gain, p]


def escaped(text: str) -> str:
    r"""Return a text as LaTeX prints it.

    Examples
    --------
    >>> print(escaped("50 % of R_1"))
    50 \% of R\_1
    """
    return "".join(_SPECIAL.get(character, character) for character in text)


def as_html(comparison: Comparison) -> str:
    """Write what to do, and the leaderboard, for a notebook."""
    rows = [
        {
            "": each["place"],
            "ranker": each["title"],
            comparison.metric: None if each["mean"] is None else f"{each['mean']:.3f}",
            f"{comparison.confidence:.0%} interval": _spoken(each["low"], each["high"]),
            "gain": None if each["difference"] is None else f"{each['difference']:+.3f}",
            "unlabelled data": each["reason"] or each["verdict"] or "not used",
        }
        for each in leaderboard(comparison)
    ]
    warnings = (display.paragraph(f"Note: {words}") for words in sentences.warnings_of(comparison))
    return display.card(sentences.headline(comparison), display.table(rows), *warnings)


def _spoken(low: float | None, high: float | None) -> str | None:
    return None if low is None else f"{low:.3f} to {high:.3f}"
