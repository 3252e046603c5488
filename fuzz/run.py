"""Coverage-guided fuzzing of everything that reads what others wrote.

``python -m fuzz.run --seconds 60`` shares the time among all targets and prints a table; 3600 is the long
run. ``python -m fuzz.run --target letor --seconds 60`` runs one. It needs the extra ``fuzz``.
"""

import argparse
import hashlib
import importlib
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TARGETS = ("letor", "tables", "trec", "references", "binaries", "models", "checkpoints", "names")
MOST_MEMORY = 2048  # MB
LONGEST = 20  # seconds for one input


def fuzz(target: str, seconds: int) -> None:
    """Run one target in this process, which ends with it."""
    import atheris

    module = importlib.import_module(f"fuzz.targets.{target}")
    for name in list(sys.modules):
        if name.startswith(module.INSTRUMENTED) and not name.startswith("semirank.core"):
            for value in vars(sys.modules[name]).values():
                _instrument(atheris, value, name)
    with tempfile.TemporaryDirectory() as corpus:
        for seed in module.SEEDS:
            (Path(corpus) / hashlib.sha256(seed).hexdigest()).write_bytes(seed)
        options = [f"-max_total_time={seconds}", "-print_final_stats=1", f"-rss_limit_mb={MOST_MEMORY}"]
        options += [f"-timeout={LONGEST}", "-max_len=4096", "-artifact_prefix=fuzz-"]
        atheris.Setup([f"fuzz-{target}", *options, corpus], module.check)
        atheris.Fuzz()


def _instrument(atheris: object, value: object, module: str) -> None:
    """Let functions and methods that a module defines report which branches they take."""
    members = vars(value).values() if isinstance(value, type) and value.__module__ == module else [value]
    for member in members:
        function = getattr(member, "__func__", member)
        if getattr(function, "__module__", None) == module and hasattr(function, "__code__"):
            function.__code__ = atheris.instrument_func(function).__code__  # type: ignore[attr-defined]


def run(target: str, seconds: int) -> tuple[int, int, str]:
    """Run a target in a process of its own; return inputs, branches and what was found."""
    command = [sys.executable, "-m", "fuzz.run", "--inside", target, "--seconds", str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=os.environ)
    inputs = re.findall(r"number_of_executed_units: (\d+)", done.stderr)
    branches = re.findall(r"cov: (\d+)", done.stderr)
    if done.returncode:
        print(done.stderr[-4000:], file=sys.stderr)
    return (
        int(inputs[-1]) if inputs else 0,
        int(branches[-1]) if branches else 0,
        "none" if done.returncode == 0 else "see above",
    )


def main() -> int:
    """Run all targets, one after the other, and print what they did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="for all targets together")
    parser.add_argument("--target", choices=TARGETS)
    parser.add_argument("--inside", choices=TARGETS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        fuzz(options.inside, options.seconds)
        return 0
    targets = [options.target] if options.target else TARGETS
    total, failed = 0, False
    print("| target | seconds | inputs | branches | faults |\n|---|---|---|---|---|")
    for target in targets:
        began = time.perf_counter()
        inputs, branches, faults = run(target, max(1, options.seconds // len(targets)))
        total, failed = total + inputs, failed or faults != "none"
        print(
            f"| {target} | {time.perf_counter() - began:.0f} | {inputs:,} | {branches} | {faults} |",
            flush=True,
        )
    print(f"\n{total:,} inputs")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
