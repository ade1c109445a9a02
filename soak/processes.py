"""What the processes of a run do to the machine, from /proc: memory over time, and who is left behind.

The supervisor asks the system to be told of everyone whose parent is gone (a subreaper), so that whoever comes from a part
is below it in the tree of processes, whatever became of those in between.
"""

import ctypes
import os
import signal
import threading
import time

PR_SET_CHILD_SUBREAPER = 36
# seconds between looks
EVERY = 0.5
# a process is long if it lives this part of its part's time; its first third is warm-up
LONG, WARM = 0.5, 1 / 3
# growth after the warm-up that counts as flat: pages that come and go, and a part of what is held anyway
FLAT_BYTES, FLAT_PART = 24e6, 0.1
LEAST_LOOKS = 20
# the part of those whose ancestors were never seen
UNKNOWN = "unknown"


def there_is_proc() -> bool:
    return os.path.isdir("/proc/self/task")


def adopt_orphans() -> bool:
    try:
        return ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    except (OSError, AttributeError):
        return False


class Process:
    """One process as it was seen: identity, part it belongs to, memory over time."""

    def __init__(self, pid, name, part, now):
        self.pid, self.name, self.part = pid, name, part
        self.born, self.looks = now, []

    def growth(self):
        """Bytes by which it grew after its warm-up (the slope of a line through all looks, times their time), and its size."""
        looks = self.looks[int(len(self.looks) * WARM):]
        if len(looks) < LEAST_LOOKS:
            return 0.0, looks[-1][1] if looks else 0.0
        n = len(looks)
        mean_t, mean_y = sum(t for t, _ in looks) / n, sum(y for _, y in looks) / n
        spread = sum((t - mean_t) ** 2 for t, _ in looks)
        slope = sum((t - mean_t) * (y - mean_y) for t, y in looks) / spread if spread > 0 else 0.0
        return slope * (looks[-1][0] - looks[0][0]), mean_y

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
        # the name is in brackets and may hold anything
        head, tail = text[: text.index("(")], text[text.rindex(")") + 2:].split()
        name = text[text.index("(") + 1: text.rindex(")")]
        found[int(head)] = (int(tail[1]), name, tail[0], int(tail[21]) * page, tail[19])
    return found


def kind(pid):
    """What a process of a browser is there for, as it says itself: ` renderer`, ` gpu-process`; nothing for others."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            words = f.read().replace(b"\0", b" ").split()
    except OSError:
        return ""
    return "".join(" " + w.removeprefix(b"--type=").decode(errors="replace") for w in words if w.startswith(b"--type="))


class Watch(threading.Thread):
    """Looks at everyone below this process until it is told to end."""

    def __init__(self):
        super().__init__(daemon=True)
        self.seen, self.parts, self.ended, self.lock = {}, {}, threading.Event(), threading.Lock()

    def belongs(self, pid, part):
        """Says that a process, and all that come from it, is of a part."""
        with self.lock:
            self.parts[pid] = part

    def run(self):
        while not self.ended.wait(EVERY):
            self.look()

    def look(self):
        now, own, all_ = time.monotonic(), os.getpid(), table()
        alive = []
        with self.lock:
            for pid, (parent, name, state, resident, start) in all_.items():
                part = self.part_of(pid, all_, own)
                if part is None:
                    continue
                process = self.seen.setdefault((pid, start), Process(pid, name, part, now))
                process.name = name + kind(pid)  # it may have become another program
                if part != UNKNOWN:
                    process.part = part
                if state == "Z":
                    if parent == own and pid not in self.parts:
                        self.bury(pid)
                    continue
                process.looks.append((now, resident))
                alive.append(process)
        return alive

    def part_of(self, pid, all_, own):
        """The part a process is of: by its ancestors, or by what was known when they lived; None if it is not below us."""
        at = pid
        while at in all_ and at != own:
            if at in self.parts:
                return self.parts[at]
            known = self.seen.get((at, all_[at][4]))
            if known and known.part != UNKNOWN:
                return known.part
            at = all_[at][0]
        return UNKNOWN if at == own and pid != own else None

    def bury(self, pid):
        try:
            os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            pass

    def left(self, part):
        """Processes of a part that still live."""
        return [p for p in self.look() if p.part == part]

    def end(self):
        self.ended.set()
        self.join()


def kill(processes):
    """Ends processes that were left behind."""
    for p in processes:
        try:
            os.kill(p.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
