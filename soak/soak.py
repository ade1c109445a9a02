#!/usr/bin/env python3
"""Soak test, scripted mixed use for an hour or any other time: `soak/soak.py --minutes 60`.

    scenes    random scenes, checked step by step            soak/scenes (Rust)
    studio    the page in Chromium, clicked at random        soak/studio.mjs
    batch     `anthropi batch`, killed and resumed           soak/batch.py
    package   the Python package in a loop                   soak/package.py
    commands  random command lines of `anthropi`             soak/commands.py

`scenes` runs all the time, the others one after another beside it. Checked: the report of each part, its exit code, panics,
memory over time, orphaned processes. Parts whose tools are not built are skipped and listed.
Exit code: 0 all passed, 1 faults, 2 nothing could run.
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
# shares of the total time
SHARES = {"scenes": 1.0, "studio": 0.25, "batch": 0.25, "package": 0.25, "commands": 0.25}
# a part that overruns its time by this is stuck, s
GRACE = 240
SCENES = 10_000


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default=",".join(SHARES), help="comma-separated parts")
    parser.add_argument("--out", type=Path, default=target() / "soak", help="folder for logs and the report; replaced")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder with clips")
    args = parser.parse_args()
    chosen = args.only.split(",")
    if unknown := set(chosen) - set(SHARES):
        parser.error(f"unknown part {', '.join(sorted(unknown))}")
    soak = Soak(args)
    parts = [p for p in SHARES if p in chosen]
    others = [p for p in parts if p != "scenes"]
    # the time of skipped parts goes to the others
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
        self.watch = processes.Watch() if processes.has_proc() else None
        self.running = set()

    # the command of each part

    def command(self, part, seconds):
        """Command of a part; None, with a recorded reason, if its tools are missing."""
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
        return self.with_program("batch", seconds, *self.data())

    def command_commands(self, seconds):
        return self.with_program("commands", seconds)

    def with_program(self, part, seconds, *more):
        if not self.program.is_file():
            return self.skip(part, f"{self.program} is not built: cargo build --release -p anthropi")
        return [sys.executable, str(HERE / f"{part}.py"), *self.common(part, seconds), "--program", str(self.program), *more]

    def data(self):
        return ["--data", str(self.args.data)] if self.args.data.is_dir() else []

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
        return ["node", str(HERE / "studio.mjs"), *self.common("studio", seconds), *self.data()]

    # running

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
        self.results[part] = self.assess(part, code, seconds, time.monotonic() - began)
        shutil.rmtree(work / "tmp", ignore_errors=True)
        faults = self.results[part]["faults"]
        print(f"soak: {part} {'passed' if not faults else f'has {len(faults)} faults'}", flush=True)

    def assess(self, part, code, seconds, took):
        """Faults from the report, the exit code, the log and the memory of a part."""
        log = (self.out / f"{part}.log").read_text(errors="replace")
        try:
            report = json.loads((self.out / f"{part}.json").read_text())
        except (OSError, ValueError):
            report = {}
        faults = [f"{f['kind']} at step {f['step']}: {f['what']} ({f['again']})" for f in report.get("reported", [])] or report.get("faults") or []
        if isinstance(faults, dict):
            faults = [f"{kind}: {n} times" for kind, n in faults.items()]
        if code is None:
            faults.append(f"did not finish within {seconds + GRACE:.0f} s")
        elif not report:
            faults.append(f"exit code {code} without a report: {log[-300:].strip()}")
        elif code != 0 and not faults:
            faults.append(f"exit code {code}: {log[-300:].strip()}")
        if panic := PANIC.search(log):
            faults.append(f"panic: ...{log[max(0, panic.start() - 100):panic.end() + 200]}")
        memory = self.memory(part, took, faults)
        return {"seconds": round(took, 1), "faults": faults, "memory": memory, "report": report}

    def memory(self, part, took, faults):
        """Resident memory of the long processes of a part; growth and orphans are faults."""
        if not self.watch:
            return []
        if left := self.wait_for_end(part):
            faults.append(f"orphans: {', '.join(f'{p.name} ({p.pid})' for p in left)}")
            processes.kill(left)
        found = []
        with self.watch.lock:
            seen = [p for p in self.watch.seen.values() if p.part == part and p.samples]
        for p in seen:
            if p.samples[-1][0] - p.samples[0][0] < processes.LONG * took or len(p.samples) < processes.MIN_SAMPLES:
                continue
            growth, size = p.growth()
            found.append({"name": p.name, "pid": p.pid, "mean_mb": round(size / 1e6, 1), "growth_mb": round(growth / 1e6, 1),
                          "largest_mb": round(max(y for _, y in p.samples) / 1e6, 1), "flat": p.is_flat()})
            if not p.is_flat():
                faults.append(f"memory of {p.name} ({p.pid}) grows by {growth / 1e6:.0f} MB over {size / 1e6:.0f} MB after its warm-up")
        return found

    def wait_for_end(self, part):
        """Processes of a part still alive shortly after its end."""
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
                self.results["supervisor"] = {"seconds": 0, "faults": [f"orphans: {names}"], "memory": [], "report": {}}
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
            yield f"{part}: {r['seconds'] / 60:.1f} minutes, {f'{n} faults' if n else 'passed'}"
            for line in summary(part, r["report"]):
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
            yield "memory and processes: not monitored without /proc"
        yield "soak: " + ("all passed" if report["ok"] else "faults found" if self.results else "nothing could run")


def summary(part, report):
    """One or two lines about a part."""
    if part == "scenes" and report:
        scenes = ", ".join(f"{n} {f}" for f, n in report["scenes"].items())
        yield f"{sum(report['scenes'].values())} scenes ({scenes}), {report['steps']} steps, {report['contact_steps']} with contacts in reach, {report['changes']} changes"
        yield (f"closure error at most {report['closure']:.1e}, contact law violated by {report['unlawful']:.1e}, momentum by {report['momentum']:.1e}; "
               f"slowest step {report['slowest_s']:.3f} s; {report['explained']} energy gains due to step length, {report['fast']} steps too coarse to check")
        if report.get("weak"):
            yield "known weaknesses: " + ", ".join(f"{kind} in {n} scenes" for kind, n in report["weak"].items())
    elif report:
        yield ", ".join(f"{what} {n}" for what, n in sorted(report.get("counts", {}).items()))


if __name__ == "__main__":
    main()
