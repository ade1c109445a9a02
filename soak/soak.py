#!/usr/bin/env python3
"""Mixed use by script, for an hour or as long as you like: `soak/soak.py --minutes 60`.

    scenes    random scenes, looked at step by step          soak/scenes (Rust)
    studio    the page in Chromium, clicked at random        soak/studio.mjs
    batch     `anthropi batch`, killed and resumed           soak/batch.py
    package   the Python package in a loop                   soak/package.py
    commands  random command lines of `anthropi`             soak/commands.py

The first runs all the time, beside it the others one after the other. Watched: what each part says, its exit code, panics,
memory over time, processes left behind. A part whose tools are not built is skipped, and that is told.
Ends with 0 when all is fine, 1 when something is not, 2 when nothing could run.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import processes
from part import PANIC

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
# parts of the whole time
SHARES = {"scenes": 1.0, "studio": 0.25, "batch": 0.25, "package": 0.25, "commands": 0.25}
# a part that takes longer than its time and this much more is stuck, s
GRACE = 240
SCENES = 10_000


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default=",".join(SHARES), help="parts, with commas between")
    parser.add_argument("--out", type=Path, default=target() / "soak", help="folder for logs and the report; made anew")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder with clips")
    args = parser.parse_args()
    chosen = args.only.split(",")
    if unknown := set(chosen) - set(SHARES):
        parser.error(f"there is no part {', '.join(sorted(unknown))}")
    soak = Soak(args)
    parts = [p for p in SHARES if p in chosen]
    others = [p for p in parts if p != "scenes"]
    # what falls out, by choice or for want of tools, leaves its time to the rest
    ready = [p for p in others if soak.command(p, 1.0) is not None]
    seconds = 60 * args.minutes
    lanes = [[("scenes", seconds)]] if "scenes" in parts else []
    lanes.append([(p, seconds / max(1, len(ready))) for p in others])
    sys.exit(soak.run(lanes))


def target():
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


class Soak:
    def __init__(self, args):
        self.args, self.results, self.skipped = args, {}, {}
        self.out = args.out.resolve()
        self.program = target() / "release" / "anthropi"
        self.watch = processes.Watch() if processes.there_is_proc() else None
        self.running = set()

    # what a part needs, and how it is called

    def command(self, part, seconds):
        """The command of a part; None, with a reason, where its tools are missing."""
        return getattr(self, f"command_{part}")(seconds)

    def skip(self, part, why):
        self.skipped[part] = why

    def common(self, part, seconds):
        return ["--seconds", f"{seconds:.0f}", "--seed", str(self.args.seed), "--report", str(self.out / f"{part}.json"),
                "--work", str(self.out / f"work-{part}")]

    def command_scenes(self, seconds):
        binary = target() / "release" / "soak-scenes"
        if not binary.is_file():
            return self.skip("scenes", f"{binary} is not built: cargo build --release -p anthropi-soak")
        return [str(binary), "--scenes", str(SCENES), "--from", str(SCENES * (self.args.seed - 1)), "--threads", "1", "--minutes", f"{seconds / 60:.3f}",
                "--report", str(self.out / "scenes.json")]

    def command_batch(self, seconds):
        if not self.program.is_file():
            return self.skip("batch", f"{self.program} is not built: cargo build --release -p anthropi")
        data = ["--data", str(self.args.data)] if self.args.data.is_dir() else []
        return [sys.executable, str(HERE / "batch.py"), *self.common("batch", seconds), "--program", str(self.program), *data]

    def command_commands(self, seconds):
        if not self.program.is_file():
            return self.skip("commands", f"{self.program} is not built: cargo build --release -p anthropi")
        return [sys.executable, str(HERE / "commands.py"), *self.common("commands", seconds), "--program", str(self.program)]

    def command_package(self, seconds):
        python = os.environ.get("SOAK_PYTHON") or str(target() / "python-venv" / "bin" / "python")
        if not shutil.which(python) or subprocess.run([python, "-c", "import anthropi"], capture_output=True).returncode != 0:
            return self.skip("package", f"{python} has no package anthropi: crates/py/test.sh installs it")
        return [python, str(HERE / "package.py"), *self.common("package", seconds)]

    def command_studio(self, seconds):
        browser = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        if not shutil.which("node"):
            return self.skip("studio", "node is not installed")
        if not os.access(browser, os.X_OK):
            return self.skip("studio", f"{browser} is not installed")
        if not (ROOT / "web" / "dist" / "index.html").is_file() or not (ROOT / "web" / "node_modules" / "playwright-core").is_dir():
            return self.skip("studio", "the page is not built: web/build.sh")
        data = ["--data", str(self.args.data)] if self.args.data.is_dir() else []
        return ["node", str(HERE / "studio.mjs"), *self.common("studio", seconds), *data]

    # at work

    def run(self, lanes):
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir(parents=True)
        if self.watch:
            processes.adopt_orphans()
            self.watch.start()
        threads = [threading.Thread(target=lambda lane=lane: [self.part(p, s) for p, s in lane]) for lane in lanes]
        signal.signal(signal.SIGTERM, lambda *_: self.stop())
        try:
            [t.start() for t in threads]
            [t.join() for t in threads]
        except KeyboardInterrupt:
            self.stop()
        return self.finish()

    def stop(self):
        for process in list(self.running):
            process.kill()
        print("soak: stopped", file=sys.stderr)
        os._exit(2)

    def part(self, part, seconds):
        command = self.command(part, seconds)
        if command is None:
            print(f"soak: {part} skipped: {self.skipped[part]}", flush=True)
            return
        print(f"soak: {part} for {seconds / 60:.1f} minutes", flush=True)
        work, log = self.out / f"work-{part}", self.out / f"{part}.log"
        (work / "tmp").mkdir(parents=True)
        env = {**os.environ, "TMPDIR": str(work / "tmp"), "RUST_BACKTRACE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        began = time.monotonic()
        with open(log, "wb") as f:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=f, stderr=subprocess.STDOUT, env=env, cwd=ROOT)
            self.running.add(process)
            if self.watch:
                self.watch.belongs(process.pid, part)
            try:
                code = process.wait(seconds + GRACE)
            except subprocess.TimeoutExpired:
                code = None
                process.kill()
                process.wait()
            self.running.discard(process)
        self.results[part] = self.judge(part, code, seconds, time.monotonic() - began)
        shutil.rmtree(work / "tmp", ignore_errors=True)
        faults = self.results[part]["faults"]
        print(f"soak: {part} {'is fine' if not faults else f'has {len(faults)} faults'}", flush=True)

    def judge(self, part, code, seconds, took):
        """What a part said, and what was seen of it."""
        log = (self.out / f"{part}.log").read_text(errors="replace")
        try:
            told = json.loads((self.out / f"{part}.json").read_text())
        except (OSError, ValueError):
            told = {}
        faults = [f"{f['kind']} at step {f['step']}: {f['what']} ({f['again']})" for f in told.get("told", [])] or told.get("faults") or []
        if isinstance(faults, dict):
            faults = [f"{kind}: {n} times" for kind, n in faults.items()]
        if code is None:
            faults.append(f"did not end within {seconds + GRACE:.0f} s")
        elif not told:
            faults.append(f"ended with {code} and without a report: {log[-300:].strip()}")
        elif code != 0 and not faults:
            faults.append(f"ended with {code}: {log[-300:].strip()}")
        if panic := PANIC.search(log):
            faults.append(f"a panic: ...{log[max(0, panic.start() - 100):panic.end() + 200]}")
        memory = self.memory(part, took, faults)
        return {"seconds": round(took, 1), "faults": faults, "memory": memory, "told": told}

    def memory(self, part, took, faults):
        """Resident memory of the long processes of a part; what grows, and who is left, are faults."""
        if not self.watch:
            return []
        if left := self.wait_for_end(part):
            faults.append(f"left behind: {', '.join(f'{p.name} ({p.pid})' for p in left)}")
            processes.kill(left)
        found = []
        with self.watch.lock:
            seen = [p for p in self.watch.seen.values() if p.part == part and p.looks]
        for p in seen:
            if p.looks[-1][0] - p.looks[0][0] < processes.LONG * took or len(p.looks) < processes.LEAST_LOOKS:
                continue
            growth, size = p.growth()
            found.append({"name": p.name, "pid": p.pid, "mean_mb": round(size / 1e6, 1), "growth_mb": round(growth / 1e6, 1),
                          "largest_mb": round(max(y for _, y in p.looks) / 1e6, 1), "flat": p.is_flat()})
            if not p.is_flat():
                faults.append(f"memory of {p.name} ({p.pid}) grows by {growth / 1e6:.0f} MB over {size / 1e6:.0f} MB after its warm-up")
        return found

    def wait_for_end(self, part):
        """Who of a part still lives a moment after its end."""
        for _ in range(20):
            left = self.watch.left(part)
            if not left:
                break
            time.sleep(0.25)
        return left

    def finish(self):
        if self.watch:
            if left := self.wait_for_end(processes.UNKNOWN):
                names = ", ".join(f"{p.name} ({p.pid})" for p in left)
                self.results["supervisor"] = {"seconds": 0, "faults": [f"left behind: {names}"], "memory": [], "told": {}}
                processes.kill(left)
            self.watch.end()
        report = {"minutes": self.args.minutes, "seed": self.args.seed, "skipped": self.skipped, "parts": self.results,
                  "ok": bool(self.results) and not any(r["faults"] for r in self.results.values())}
        (self.out / "report.json").write_text(json.dumps(report, indent=1))
        text = "\n".join(self.lines(report))
        (self.out / "report.txt").write_text(text + "\n")
        print(text)
        return 2 if not self.results else 0 if report["ok"] else 1

    def lines(self, report):
        for part, r in self.results.items():
            n = len(r["faults"])
            yield f"{part}: {r['seconds'] / 60:.1f} minutes, {f'{n} faults' if n else 'fine'}"
            for line in summary(part, r["told"]):
                yield f"    {line}"
            for m in r["memory"]:
                yield f"    memory of {m['name']}: {m['mean_mb']} MB, {m['growth_mb']:+} MB after the warm-up, at most {m['largest_mb']} MB"
            for fault in r["faults"][:10]:
                yield "    FAULT " + fault.replace("\n", " ")[:400]
            if len(r["faults"]) > 10:
                yield f"    and {len(r['faults']) - 10} more, in {self.out / 'report.json'}"
        for part, why in self.skipped.items():
            yield f"{part}: skipped: {why}"
        if not self.watch:
            yield "memory and processes: not watched, there is no /proc"
        yield "soak: " + ("all is fine" if report["ok"] else "something is wrong" if self.results else "nothing could run")


def summary(part, told):
    """One or two lines of what a part did."""
    if part == "scenes" and told:
        scenes = ", ".join(f"{n} {f}" for f, n in told["scenes"].items())
        yield f"{sum(told['scenes'].values())} scenes ({scenes}), {told['steps']} steps, {told['contact_steps']} with something in reach, {told['changes']} changes"
        yield (f"open at most {told['closure']:.1e}, law of contact broken by {told['unlawful']:.1e}, momentum by {told['momentum']:.1e}; "
               f"slowest step {told['slowest_s']:.3f} s; {told['explained']} gains of energy by the length of the step, {told['fast']} steps too long to tell")
        if told.get("weak"):
            yield "known weaknesses: " + ", ".join(f"{kind} in {n} scenes" for kind, n in told["weak"].items())
    elif told:
        yield ", ".join(f"{what} {n}" for what, n in sorted(told.get("counts", {}).items()))


if __name__ == "__main__":
    main()
