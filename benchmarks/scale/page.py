"""Pages of what `sums.py`, `long_list.py` and `kills.py` have measured.

python benchmarks/scale/page.py FOLDER docs/results

FOLDER holds their JSON files. What was not measured is said to be missing.
"""

import json
import sys
from collections.abc import Iterator
from math import log10
from pathlib import Path
from typing import Any

from semirank.report.tables import markdown, provenance

ROWS, N_FEATURES = 20_000_000, 50
BILLION = 10**9
WORKERS, CORES = 100, 4
STORAGE, NETWORK = (0.2e9, 0.5e9), 1.1e9  # bytes a second of each worker
PART_BYTES = 128 << 20


def read(folder: str, name: str) -> dict[str, Any]:
    path = Path(folder, f"{name}.json")
    return json.loads(path.read_text()) if path.exists() else {"rows": [], "load": "not measured"}


def results(folder: str) -> Iterator[str]:
    """Yield the sections of the page of results."""
    yield "# Beyond memory and beyond one machine: measurements"
    yield (
        f"`benchmarks/scale`. {provenance()} Processor seconds are those of all processes; the machine "
        "has two cores. Loads are told with each table; where they are high, other work went on. One run."
    )
    yield from _equality(read(folder, "equality"))
    yield from _cost(read(folder, "cost"))
    yield from _long(read(folder, "long"))
    yield from _kills(read(folder, "kills"))


def _equality(found: dict[str, Any]) -> Iterator[str]:
    yield "## The same ranker as in memory"
    yield (
        "Half of the labels hidden. Largest difference of a score to that of `fit`, relative to the "
        "largest score, for 1, 6 and 41 parts; "
        "whether the three have the same bits, and boosting the same stumps."
    )
    rows = [
        {
            "data": row["data"],
            "ranker": row["ranker"],
            **{name: f"{row[name]:.0e}" for name in ("1 parts", "6 parts", "41 parts")},
            "same bits": "yes" if row["same bits for any parts"] else "to rounding",
            "same stumps": {True: "yes", False: "no", None: "-"}[row.get("same stumps")],
        }
        for row in found["rows"]
    ]
    yield markdown(rows)


def _cost(found: dict[str, Any]) -> Iterator[str]:
    yield "## Four gigabytes with one of memory"
    yield (
        f"{ROWS:,} rows of {N_FEATURES} features in lists of 100, {found.get('bytes', 0) / 2**30:.1f} "
        "GiB of Parquet, all labelled, and a tenth of it; RankBoost "
        "with 10 rounds. *memory*: read and `fit`. *streamed*: `fit_parts(budget=0)`. *clustered*: the "
        "same on two workers of one thread and 1 GiB. Peaks in MB: "
        f"all, and without files mapped into memory (libraries, scratch). {found['load'].capitalize()} "
        "at the end."
    )
    yield markdown(
        [
            {
                "ranker": row["ranker"],
                "how": row["how"],
                "data": row["data"],
                "processor s": row["cpu_s"],
                "clock s": row["wall_s"],
                "peak": row["peak_mb"],
                "own": row["own_mb"],
                "peak of a worker": row.get("worker_mb", "-"),
            }
            for row in found["rows"]
        ]
    )
    cells = {(row["ranker"], row["how"], row["data"]): row for row in found["rows"]}
    for ranker in ("RankRLS", "RankBoost"):
        yield from _ratios(ranker, cells)


def _ratios(ranker: str, cells: dict[Any, dict[str, Any]]) -> Iterator[str]:
    streamed = cells.get((ranker, "streamed", "all"))
    memory, clustered = cells.get((ranker, "memory", "tenth")), cells.get((ranker, "clustered", "all"))
    if streamed is None or memory is None:
        yield f"- {ranker}: not measured on all rows."
        return
    ratio = streamed["cpu_s"] / memory["cpu_s"] / 10
    words = f"- {ranker}: streamed / (ten times memory on a tenth) {ratio:.2f} ({_goal(ratio, 1.3)})"
    if clustered is not None:
        same = "the same bits" if clustered["digest"] == streamed["digest"] else "OTHER BITS"
        ratio = clustered["cpu_s"] / streamed["cpu_s"]
        words += f"; cluster / streamed {ratio:.2f} ({_goal(ratio, 1.5)}), {same}"
        words += _without_idling(clustered, streamed)
    yield words + "."


def _without_idling(clustered: dict[str, Any], streamed: dict[str, Any]) -> str:
    """Say what is left without what Dask takes when it has nothing to do, and how fast it is by the clock."""
    if "idle_cpu_s" not in clustered:
        return ""
    idle, wall = clustered["idle_cpu_s"], clustered["wall_s"]
    ratio = (clustered["cpu_s"] - idle) / streamed["cpu_s"]
    return (
        f"; of it idle processes of the cluster take {idle:.1f} s: {ratio:.2f} without that. By the clock it "
        f"is {streamed['wall_s'] / wall:.2f} times as fast as streamed (asked: at least 1.5)"
    )


def _goal(ratio: float, most: float) -> str:
    return f"asked: at most {most:g}" + ("" if ratio <= most else ", not reached")


def _growth(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Say how processor time grows from a million items to ten."""
    for ranker in dict.fromkeys(row["ranker"] for row in rows):
        times = {row["items"]: row["cpu_s"] for row in rows if row["ranker"] == ranker}
        if {10**6, 10**7} <= times.keys():
            power = log10(times[10**7] / times[10**6])
            yield f"- {ranker}: from a million to ten, time grows with the power {power:.2f} of the items."


def _long(found: dict[str, Any]) -> Iterator[str]:
    yield "## One list of up to ten million items"
    yield (
        "32 features, two labels, from Parquet to files of scores; `ManifoldRanking` with 10 "
        "neighbours, in memory and by `rank_parts` over a graph on disk; "
        "`AnchorRanking` by `fit_parts` and `rank_parts`. *own* is memory without mapped files. "
        "*correlation* is that of the scores with those "
        f"of the graph in memory. {found['load'].capitalize()} at the end."
    )
    rows = [
        {
            "ranker": row["ranker"],
            "items": f"{row['items']:,}",
            "processor s": row["cpu_s"],
            "peak MB": row["peak_mb"],
            "own MB": row["own_mb"],
            "correlation": row.get("correlation", "-"),
        }
        for row in found["rows"]
    ]
    yield markdown(rows)
    yield "\n".join(_growth(found["rows"]))
    if not any(row["items"] == 10_000_000 and "disk" in row["ranker"] for row in found["rows"]):
        yield "Ten million items over a graph on disk: not finished in its time, so that nothing is claimed."


def _kills(found: dict[str, Any]) -> Iterator[str]:
    yield "## Workers killed at random moments"
    if not found["rows"]:
        yield "Not measured."
        return
    yield (
        f"Two workers of one thread, {found['parts']} parts; in each of {found['asked']:g} trials asked "
        "for (fewer where the time was over) one gets SIGKILL at a moment drawn "
        "from the usual time of a fit. An error after a minute without a finished part would count as "
        "such. *load*: load averages at the end."
    )
    yield markdown(
        [{name: value for name, value in row.items() if name != "errors"} for row in found["rows"]]
    )
    for row in found["rows"]:
        for message in row["errors"]:
            yield f"- {row['ranker']}: {message}"


def simulation(folder: str) -> Iterator[str]:
    """Yield the sections of the page that carries measured costs to a large cluster."""
    cost, rounds = read(folder, "cost"), read(folder, "rounds")
    cells = {(row["ranker"], row["how"], row["data"]): row for row in cost["rows"]}
    yield "# A billion items on a hundred workers: a calculation"
    yield (
        "**Nothing here was run at that size.** Processor times of [the measurements](scale.md) are "
        f"carried on in proportion to the items. {provenance()}"
    )
    yield "## Assumptions"
    yield "\n".join(
        [
            f"- {WORKERS} workers of {CORES} cores as quick as those measured, all at work all the time; "
            f"storage of {STORAGE[0] / 1e9:g} to {STORAGE[1] / 1e9:g} GB/s and a network of "
            f"{NETWORK / 1e9:g} GB/s for each.",
            f"- {BILLION:,} items of {N_FEATURES} features in single precision, "
            f"{4 * N_FEATURES * BILLION / 1e9:.0f} GB, in parts of {PART_BYTES >> 20} MB: "
            f"{4 * N_FEATURES * BILLION // PART_BYTES:,} parts.",
            "- Reading and computing do not overlap. Parts are spread evenly. No worker is lost.",
            "- The driver takes the same processor time for each task as in the measured run of RankRLS with "
            "two workers, one part after the other; that run was on a busy machine and includes waiting "
            "loops, so that this is an upper bound.",
        ]
    )
    yield "## What follows"
    rows = list(_large(cells, rounds))
    yield markdown(rows) if rows else "Not measured."
    yield (
        "The driver, which adds up parts in their order, becomes the narrowest place before the workers "
        "do: larger parts, or sums that are joined on the workers "
        "(as sums above 1 MB are already), help. Manifold ranking of one list is not in the table: its "
        "graph is built on one machine."
    )


def _large(cells: dict[Any, dict[str, Any]], rounds: dict[str, Any]) -> Iterator[dict[str, Any]]:
    n_bytes = 4 * N_FEATURES * BILLION
    n_parts = n_bytes / PART_BYTES
    slow, quick = (n_bytes / WORKERS / each for each in STORAGE)
    measured_parts = 4 * N_FEATURES * ROWS / (64 << 20)
    for ranker, passes in (("RankRLS", 1), ("RankBoost", 3)):
        streamed, clustered = cells.get((ranker, "streamed", "all")), cells.get((ranker, "clustered", "all"))
        if streamed is None or clustered is None:
            continue
        on_workers = (clustered["cpu_s"] - clustered["driver_cpu_s"]) * BILLION / ROWS
        driver = cells["RankRLS", "clustered", "all"]["driver_cpu_s"] / measured_parts * n_parts
        note = "one pass"
        if ranker == "RankBoost":
            if "a round, cpu_s" not in rounds:
                continue
            more = 90 * rounds["a round, cpu_s"] * 10 * BILLION / ROWS
            on_workers += more
            driver *= WORKERS * CORES * 103 / n_parts  # a round has a task for each thread
            note = "100 rounds, three passes of reading"
        compute = on_workers / WORKERS / CORES
        least, most = passes * quick + compute, passes * slow + compute + driver
        yield {
            "job": f"{ranker}, {note}",
            "reading, s": f"{passes * quick:.0f} to {passes * slow:.0f}",
            "processor s of all workers": f"{on_workers:,.0f}",
            "computing, s": f"{compute:.0f}",
            "driver, s": f"{driver:.0f}",
            "together, min": f"{least / 60:.1f} to {most / 60:.1f}",
        }


def main(folder: str, target: str) -> None:
    for name, sections in (("scale", results(folder)), ("scale-simulation", simulation(folder))):
        text = "\n\n".join(sections).replace(".\n\n- ", ".\n- ") + "\n"
        Path(target, f"{name}.md").write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
