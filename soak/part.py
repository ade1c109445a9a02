"""Base class of all parts: random numbers, remaining time, faults and the report."""

import argparse
import json
import os
import random
import re
import sys
import time

# output that is always a fault
PANIC = re.compile(r"panicked at|RuntimeError: unreachable|stack backtrace|Segmentation fault|core dumped|memory allocation of \d+")


class Part:
    """A running part: `with Part(...) as part`. Faults are printed at once and kept for the report."""

    def __init__(self, what, more=lambda parser: None):
        parser = argparse.ArgumentParser(description=what)
        parser.add_argument("--seconds", type=float, required=True)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--report", required=True)
        parser.add_argument("--work", required=True, help="working folder")
        more(parser)
        self.args = parser.parse_args()
        self.rng = random.Random(self.args.seed)
        self.start = time.monotonic()
        self.counts, self.faults, self.series = {}, [], {}
        os.makedirs(self.args.work, exist_ok=True)

    def left(self):
        return self.args.seconds - (time.monotonic() - self.start)

    def count(self, what, n=1):
        self.counts[what] = self.counts.get(what, 0) + n

    def note(self, what, value):
        """Records a value over time."""
        self.series.setdefault(what, []).append((round(time.monotonic() - self.start, 2), value))

    def fault(self, what):
        self.faults.append(what)
        print(f"fault: {what}", file=sys.stderr, flush=True)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None and kind is not SystemExit:
            self.fault(f"{kind.__name__}: {error}")
        report = {"seed": self.args.seed, "seconds": round(time.monotonic() - self.start, 1),
                  "counts": self.counts, "faults": self.faults, "series": self.series}
        with open(self.args.report, "w") as f:
            json.dump(report, f, indent=1)
        return False
