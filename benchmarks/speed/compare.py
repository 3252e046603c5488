"""The whole comparison on LETOR OHSUMED: how long it takes, and what more processes are worth.

python benchmarks/speed/compare.py [--data ohsumed-letor] [--jobs 2] [--thorough]
"""

import argparse
import os
import time

import semirank
from semirank.core.threads import count_workers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="ohsumed-letor")
    parser.add_argument("--jobs", type=int, default=count_workers(-1))
    parser.add_argument("--thorough", action="store_true")
    options = parser.parse_args()
    data = semirank.load(options.data)
    print(data)
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {count_workers(-1)} cores")
    seconds, found = {}, {}
    for jobs in (1, options.jobs):
        start, before = time.perf_counter(), os.times().children_user
        found[jobs] = semirank.compare(data, n_jobs=jobs, thorough=options.thorough, budget=False)
        seconds[jobs] = time.perf_counter() - start
        memory = max(each.peak_memory or 0 for each in found[jobs].finished) / 2**20
        fits = len(found[jobs].standings) * found[jobs].protocol.n_splits
        used = os.times().children_user - before
        print(
            f"{jobs} processes: {fits} fits in {seconds[jobs]:.1f} s on the clock, {used:.1f} s of processors"
        )
        print(f"  at most {memory:.0f} MB in each process")
    one, many = found[1], found[options.jobs]
    same = all(each.values == one.standing(each.name).values for each in many.standings)
    print(f"speed-up {seconds[1] / seconds[options.jobs]:.2f}; same figures: {same}")


if __name__ == "__main__":
    main()
