"""How long it takes to start: ``import semirank`` beside numpy and scipy.sparse, and ``semirank --help``.

python benchmarks/speed/startup.py
"""

import statistics
import subprocess
import sys
import time

PEERS = "import numpy, scipy.sparse"
HELP = [sys.executable, "-m", "semirank", "--help"]


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, capture_output=True, check=True)
    return time.perf_counter() - start


def main(repeats: int = 9) -> None:
    python = [sys.executable, "-c"]
    cases = {
        "numpy, scipy.sparse": [*python, PEERS],
        "the same and semirank": [*python, f"{PEERS}, semirank"],
        "the same and RankingDataset": [*python, f"{PEERS}; from semirank import RankingDataset"],
        "semirank --help": HELP,
    }
    runs = [{name: seconds(command) for name, command in cases.items()} for _ in range(repeats)]
    for name in cases:
        print(f"{name:30s} {statistics.median(run[name] for run in runs):.3f} s")


if __name__ == "__main__":
    main()
