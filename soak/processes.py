"""Processes of a run, from /proc: memory over time, and orphans.

The supervisor is a subreaper: processes started by a part stay below it in the process tree, even when their parents have exited.
"""

import ctypes
import itertools
import os
import signal
import statistics
import threading
import time

PR_SET_CHILD_SUBREAPER = 36
# sampling interval, s
EVERY = 0.5
# a long process lives for this share of its part; its first third is warm-up
LONG, WARM = 0.5, 1 / 3
# growth after the warm-up that counts as flat: bytes, and a share of the size
FLAT_BYTES, FLAT_PART = 24e6, 0.1
MIN_SAMPLES = 20
# stretches of time whose least sizes are compared
STRETCHES = 10
# part of processes whose ancestors were never sampled
UNKNOWN = "unknown"


def has_proc() -> bool:
    return os.path.isdir("/proc/self/task")


def adopt_orphans() -> bool:
    try:
        return ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    except (OSError, AttributeError):
        return False


class Process:
    """A sampled process: identity, part, memory over time."""

    def __init__(self, pid, name, part, now):
        self.pid, self.name, self.part = pid, name, part
        self.born, self.samples = now, []

    def growth(self):
        """Growth after the warm-up, bytes, and mean size.

        A leak raises the least size of every stretch of time; one large scene raises that of few. So the slope is the median of
        the slopes between the least sizes of any two stretches (Theil and Sen).
        """
        samples = self.samples[int(len(self.samples) * WARM):]
        if len(samples) < MIN_SAMPLES:
            return 0.0, samples[-1][1] if samples else 0.0
        n = len(samples)
        stretches = [samples[i * n // STRETCHES:(i + 1) * n // STRETCHES] for i in range(STRETCHES)]
        least = [(s[len(s) // 2][0], min(y for _, y in s)) for s in stretches]
        slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in itertools.combinations(least, 2) if b[0] > a[0]]
        slope = statistics.median(slopes) if slopes else 0.0
        return slope * (samples[-1][0] - samples[0][0]), sum(y for _, y in samples) / n

    def is_flat(self):
        growth, size = self.growth()
        return growth <= FLAT_BYTES + FLAT_PART * size


def table():
    """All processes: pid -> (parent, name, state, resident bytes, start)."""
    found, page = {}, os.sysconf("SC_PAGE_SIZE")
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat") as f:
                text = f.read()
        except OSError:
            continue
        # the name is in parentheses and may contain anything
        head, tail = text[: text.index("(")], text[text.rindex(")") + 2:].split()
        name = text[text.index("(") + 1: text.rindex(")")]
        found[int(head)] = (int(tail[1]), name, tail[0], int(tail[21]) * page, tail[19])
    return found


def kind(pid):
    """Type of a browser process, such as ` renderer` or ` gpu-process`; empty for others."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            words = f.read().replace(b"\0", b" ").split()
    except OSError:
        return ""
    return "".join(" " + w.removeprefix(b"--type=").decode(errors="replace") for w in words if w.startswith(b"--type="))


class Watch(threading.Thread):
    """Samples all processes below this one until `end`."""

    def __init__(self):
        super().__init__(daemon=True)
        self.seen, self.parts, self.ended, self.lock = {}, {}, threading.Event(), threading.Lock()

    def belongs(self, pid, part):
        """Assigns a process and its descendants to a part."""
        with self.lock:
            self.parts[pid] = part

    def run(self):
        while not self.ended.wait(EVERY):
            self.sample()

    def sample(self):
        now, own, all_ = time.monotonic(), os.getpid(), table()
        alive = []
        with self.lock:
            for pid, (parent, name, state, resident, start) in all_.items():
                part = self.part_of(pid, all_, own)
                if part is None:
                    continue
                process = self.seen.setdefault((pid, start), Process(pid, name, part, now))
                process.name = name + kind(pid)  # exec may have replaced the program
                if part != UNKNOWN:
                    process.part = part
                if state == "Z":
                    if parent == own and pid not in self.parts:
                        self.reap(pid)
                    continue
                process.samples.append((now, resident))
                alive.append(process)
        return alive

    def part_of(self, pid, all_, own):
        """Part of a process by its current or earlier ancestors; None if it is not below us."""
        at = pid
        while at in all_ and at != own:
            if at in self.parts:
                return self.parts[at]
            known = self.seen.get((at, all_[at][4]))
            if known and known.part != UNKNOWN:
                return known.part
            at = all_[at][0]
        return UNKNOWN if at == own and pid != own else None

    def reap(self, pid):
        try:
            os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            pass

    def left(self, part):
        """Live processes of a part."""
        return [p for p in self.sample() if p.part == part]

    def end(self):
        self.ended.set()
        self.join()


def kill(processes):
    """Kills orphans."""
    for p in processes:
        try:
            os.kill(p.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
