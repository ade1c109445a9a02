#!/usr/bin/env python3
"""Times us against Pinocchio, MuJoCo and ProxQP on the same figures in the same run; see ../README.md.

Exit code: 0 every `first` limit holds, 1 one is exceeded, 2 could not run or a limit could not be checked.
"""
import argparse
import csv
import hashlib
import json
import math
import os
import resource
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

# ---- comparisons ------------------------------------------------------------------------------------------------

class Row(NamedTuple):
    what: str
    figures: list
    ours: str      # our call
    peers: list    # "engine call"; the fastest of them is the peer. "limit N" means N nanoseconds
    first: float   # ours / peer must not exceed this; None: no limit
    goal: float    # where we want to be; None: not set


HUMANS = ["human28", "human42"]
SHORT_CHAINS = ["chain8", "chain16", "chain32", "chain64", "chain128"]
ABA = ["pinocchio aba_local", "pinocchio aba_world"]
FORWARD = ABA + ["mujoco forward"]
RNEA = ["pinocchio rnea", "mujoco rnea"]
CRBA = ["pinocchio crba_local", "pinocchio crba_world", "mujoco crba"]

ROWS = [
    #   what                   figures       our call               peers               first  goal
    Row("rnea",                HUMANS,       "rnea",                RNEA,               0.5,   0.35),
    Row("forward_dynamics",    HUMANS,       "forward_dynamics",    FORWARD,            0.45,  0.3),
    Row("crba",                HUMANS,       "crba",                CRBA,               0.8,   0.6),
    Row("forward_dynamics",    SHORT_CHAINS, "forward_dynamics",    FORWARD,            None,  None),
    Row("forward_dynamics",    ["chain256"], "forward_dynamics",    ABA,                0.5,   0.35),
    # twelve constraint rows, forces out: two feet held, or two loops
    Row("constrained_dynamics", ["human28", "swing34"], "constrained_12", ["pinocchio lcaba_12"], 0.6, 0.35),
    # a whole step, standing on eight points, contacts found and solved
    Row("step_8_contacts",     HUMANS,       "step_8_contacts",     ["mujoco step_8_contacts"], 0.6, 0.3),
    # a step of the dynamics filter, standing on two feet, against a tick of a whole-body controller
    Row("filter_step",         ["human28"],  "filter_step",         ["pinocchio+proxqp filter_step"], 1.5, 0.5),
    Row("filter_step_p50",     ["human28"],  "filter_step_p50",     ["pinocchio+proxqp filter_step_p50"], 1.5, 0.5),
    # a connection made and cut again, ready to step after each
    Row("connect_cut",         ["human28"],  "connect_cut",         ["limit 1e3"],      None,  1.0),
    # 4096 states, four at a time, per state: interleaved by four, or one after another
    Row("rnea_4096",           ["human28"],  "rnea_4096",           ["pinocchio rnea"], None,  0.12),
    Row("forward_dynamics_4096", ["human28"], "forward_dynamics_4096", ABA,             None,  0.12),
    Row("rnea_4096_rows",      ["human28"],  "rnea_4096_rows",      ["pinocchio rnea"], None,  None),
    Row("forward_dynamics_4096_rows", ["human28"], "forward_dynamics_4096_rows", ABA,   None,  None),
    # in WebAssembly under node, against native peers
    Row("forward_dynamics_wasm", ["human28"], "forward_dynamics_wasm", FORWARD,         None,  0.5),
    # 1,000 clips of 3 s through `anthropi batch`, on two cores
    Row("certify_clips",       ["clips1000"], "certify_clips",      ["limit 60e9"],     None,  1.0),
]

# Time per link of long chains relative to a short one: 1 is linear growth; 15 % for data beyond the L1 cache.
GROWTH = dict(call="forward_dynamics", short=32, long=(256, 512, 1024), goal=1.15)

# ---- where and with what ----------------------------------------------------------------------------------------

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OUT = ROOT / "target" / "peers"
VENV = OUT / "venv"
MODELS = OUT / "models"
RATIOS = ROOT / "bench" / "out" / "ratios.json"
OURS = ROOT / "target" / "release" / "ours"
ANTHROPI = ROOT / "target" / "release" / "anthropi"
WASM_TARGET = "wasm32-unknown-unknown"
WASM = ROOT / "target" / WASM_TARGET / "release" / "anthropi_bench_wasm.wasm"
CLIPS = OUT / "clips"

PACKAGES = ["numpy", "pin==4.1.0", "mujoco==4.0.0", "cmeel-eigen==3.4.1", "proxsuite==0.8.0"]
FLAGS = ["-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-w"]
# Pinocchio's joint variant is longer than Boost's precompiled lists allow
BOOST = ["-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
         "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12"]
BATCHES, QUICK_BATCHES = 3000, 200
ROUNDS, QUICK_ROUNDS = 3, 1  # the memory layout of a process changes times by up to 13 % (lcaba)
CHECK = "mass_matrix_norm"  # not a time: shows that the engines have the same figure
CHECK_TOLERANCE = 1e-9      # figures travel as text with 12 digits
ERROR = "_error"            # not a time: difference of a result from the dense solution
LARGEST_ERROR = 1e-9


class CannotRun(Exception):
    pass


def say(text):
    print(f"peers: {text}", file=sys.stderr, flush=True)


def command(*args):
    """Runs a program and returns its stdout; its stderr goes to ours."""
    try:
        return subprocess.run([str(a) for a in args], check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout
    except FileNotFoundError:
        raise CannotRun(f"{args[0]} is not there")
    except subprocess.CalledProcessError as e:
        raise CannotRun(f"failed with exit code {e.returncode}: {' '.join(map(str, args))}")

# ---- build ------------------------------------------------------------------------------------------------------

def install():
    stamp = VENV / "packages"  # written last: an incomplete or outdated installation is repeated
    if stamp.exists() and stamp.read_text() == " ".join(PACKAGES):
        return
    say(f"installing {' '.join(PACKAGES)} (about a minute)")
    command(sys.executable, "-m", "venv", "--clear", VENV)
    command(VENV / "bin" / "pip", "-q", "install", *PACKAGES)
    stamp.write_text(" ".join(PACKAGES))


def compile_benches():
    site = Path(command(VENV / "bin" / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    site = site.relative_to(ROOT)  # as command() runs there, and so that the folder may be moved
    include, mujoco = site / "cmeel.prefix" / "include", site / "mujoco"
    library = next((ROOT / mujoco).glob("libmujoco.so.*"), None)
    if library is None:
        raise CannotRun(f"no libmujoco.so in {mujoco}")
    headers = [HERE / "model.hpp", HERE / "timing.hpp"]
    compile_one("pin_bench", headers, [*BOOST, f"-I{include}", f"-I{include}/eigen3"], "about 3 minutes")
    compile_one("wbc_bench", headers, [*BOOST, f"-I{include}", f"-I{include}/eigen3"], "about 2 minutes")
    compile_one("mj_bench", headers, [f"-I{mujoco}/include", mujoco / library.name,
                                       f"-Wl,-rpath,$ORIGIN/{(ROOT / mujoco).relative_to(OUT)}"], "seconds")


def compile_one(name, headers, options, duration):
    source, binary, stamp = HERE / f"{name}.cpp", OUT / name, OUT / f"{name}.made"
    args = ["g++", *FLAGS, source.relative_to(ROOT), "-o", binary.relative_to(ROOT), *options]
    read = hashlib.sha256(b"".join(f.read_bytes() for f in [source, *headers])).hexdigest()
    made = f"{' '.join(map(str, args))}\n{read}\n"  # source and command line: recompiled if they change
    if binary.exists() and stamp.exists() and stamp.read_text() == made:
        return
    say(f"compiling {name} ({duration})")
    stamp.unlink(missing_ok=True)
    command(*args)
    stamp.write_text(made)


def build(ours_is_given, batch):
    OUT.mkdir(parents=True, exist_ok=True)
    install()
    compile_benches()
    say("writing the figures")
    command(sys.executable, HERE / "gen_models.py", MODELS)
    if not ours_is_given:
        say("building ours")
        build_ours("-p", "anthropi-bench", "--bins")
    if without_wasm() is None:
        build_ours("-p", "anthropi-bench-wasm", "--target", WASM_TARGET)
    if batch:
        build_ours("-p", "anthropi")
        make_clips()


def build_ours(*what):
    command("cargo", "build", "--release", "--quiet", *what, "--target-dir", ROOT / "target")


def without_wasm():
    """Why WebAssembly cannot be timed here; None if it can."""
    if not shutil.which("node"):
        return "node is not installed"
    try:
        if WASM_TARGET not in command("rustup", "target", "list", "--installed").split():
            command("rustup", "target", "add", WASM_TARGET)
    except CannotRun:
        return f"target {WASM_TARGET} is not installed and cannot be added"
    return None

# ---- measure ----------------------------------------------------------------------------------------------------

def measure(programs, rounds, core):
    """Numbers by (figure, "engine call"), the minimum of all rounds. The programs take turns in each round, so
    that a machine which becomes slower or faster meanwhile treats all of them alike."""
    numbers = {}
    for n in range(rounds):
        for name, args in programs:
            say(f"round {n + 1} of {rounds}: {name}")
            started = time.monotonic()
            lines = command("taskset", "-c", core, *args).splitlines()
            for line in lines:
                if line.startswith("#"):
                    say(line[1:].strip())
                elif line.strip():
                    read_number(line, name, numbers)
            say(f"  {len(lines)} lines, {time.monotonic() - started:.0f} s")
    return numbers


def read_number(line, program, numbers):
    try:
        engine, figure, call, text = line.split(",")
        key, value = (figure, f"{engine} {call}"), float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise CannotRun(f"{program} printed {line!r}; expected ENGINE,FIGURE,CALL,NS")
    numbers[key] = min(value, numbers.get(key, math.inf))


def check_figures(numbers):
    """The engines must agree on |M(q = 0)| of each figure."""
    for figure in sorted({f for f, _ in numbers}):
        norms = {e: x for e in ("pinocchio", "mujoco", "anthropi") if (x := numbers.get((figure, f"{e} {CHECK}")))}
        if norms and max(norms.values()) > min(norms.values()) * (1 + CHECK_TOLERANCE):
            raise CannotRun(f"the engines have different figures under the name {figure}: |M(0)| is {norms}")


def check_errors(numbers):
    """Checks the accuracy of our results."""
    for (figure, call), error in sorted(numbers.items()):
        if call.startswith("anthropi ") and call.endswith(ERROR):
            say(f"{figure}: {call} {error:.1e}")
            if error > LARGEST_ERROR:
                raise CannotRun(f"{call} of {figure} is {error:.1e}, more than {LARGEST_ERROR:.0e}")

# ---- many clips -------------------------------------------------------------------------------------------------

def make_clips():
    """1,000 different clips of 3 s: parts of the built-in motions, half of them mirrored, their paths bent."""
    motions = ["keyed-walk", "keyed-run", "keyed-sit-stand", "keyed-kick", "keyed-jump"]
    stamp = CLIPS / "made"
    if stamp.exists():
        return
    say("making 1,000 clips (about half a minute)")
    shutil.rmtree(CLIPS, ignore_errors=True)
    for motion in motions:  # twice in a row: each lasts over 5 s
        (CLIPS / motion).mkdir(parents=True)
        convert(motion, CLIPS / f"{motion}.bvh", "--repeat", 2)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for _ in pool.map(make_clip, [(m, mirror, k) for m in motions for mirror in (False, True) for k in range(100)]):
            pass
    for motion in motions:
        (CLIPS / f"{motion}.bvh").unlink()
    stamp.touch()


def make_clip(which):
    motion, mirror, k = which
    begin = 0.02 * k + 0.01 * mirror  # a frame later: some motions are their own mirror image
    convert(CLIPS / f"{motion}.bvh", CLIPS / motion / f"{k:03}{'m' if mirror else ''}.bvh",
            "--cut", f"{begin:.2f},{begin + 3:.2f}", "--turn", f"{5 * (k % 9 - 4)},0.5,2.5", *["--mirror"] * mirror)


def convert(*args):
    result = subprocess.run([str(a) for a in [ANTHROPI, "convert", *args]], capture_output=True, text=True)
    if result.returncode:
        raise CannotRun(f"anthropi convert {' '.join(map(str, args))}: {result.stderr}")


def certify_clips(numbers):
    """Time of the whole batch on two cores, reading and writing included; it is long on a busy machine."""
    out = OUT / "certified"
    shutil.rmtree(out, ignore_errors=True)
    cores = ",".join(map(str, sorted(os.sched_getaffinity(0))[-2:]))
    say(f"certifying 1,000 clips on the cores {cores}")
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command("taskset", "-c", cores, ANTHROPI, "batch", CLIPS, "--out", out, "--jobs", 2)
    seconds, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    with open(out / "results.csv") as f:
        done = {line["content"] for line in csv.DictReader(f) if line["status"] == "ok"}
    if len(done) != 1000:
        raise CannotRun(f"{len(done)} different clips were certified instead of 1,000")
    say(f"  {seconds:.1f} s, {used:.1f} s of the processors")
    numbers["clips1000", "anthropi certify_clips"] = 1e9 * seconds

# ---- compare ----------------------------------------------------------------------------------------------------

def entry(what, figure, peer, ours_ns, peer_ns, first, goal, missing, error=None):
    ratio = None if missing else ours_ns / peer_ns
    return dict(what=what, figure=figure, peer=peer, ours_ns=ours_ns, peer_ns=peer_ns, ratio=ratio, first=first,
                goal=goal, error=error), missing


def compare(numbers):
    """[(entry of ratios.json, what was missing for it)]"""
    result = []
    numbers |= {(f, p): float(p.split()[1]) for r in ROWS for f in r.figures for p in r.peers if p.startswith("limit ")}
    for row in ROWS:
        ours = f"anthropi {row.ours}"
        for figure in row.figures:
            # without all candidates the ratio might flatter us, so a missing peer invalidates the row
            missing = [c for c in [ours, *row.peers] if (figure, c) not in numbers]
            timed = [c for c in row.peers if c not in missing]
            peer = min(timed, key=lambda c: numbers[figure, c], default=None)
            result.append(entry(row.what, figure, peer, numbers.get((figure, ours)), numbers.get((figure, peer)),
                                row.first, row.goal, missing, numbers.get((figure, ours + ERROR))))
    return result + [growth(numbers, links) for links in GROWTH["long"]]


def growth(numbers, links):
    """Our time per link on a long chain; the "peer" is ourselves on the short one."""
    call, ends = f"anthropi {GROWTH['call']}", (links, GROWTH["short"])
    ours, short = (numbers.get((f"chain{n}", call)) for n in ends)
    missing = [f"{call} on chain{n}" for n in ends if (f"chain{n}", call) not in numbers]
    return entry("growth_per_link", f"chain{ends[0]}", f"anthropi chain{ends[1]}", ours and ours / ends[0],
                 short and short / ends[1], None, GROWTH["goal"], missing)


def verdict(e, missing):
    if missing:
        return "MISSING " + ", ".join(missing)
    if e["first"] is not None and e["ratio"] > e["first"]:
        return "OVER the first limit"
    if e["goal"] is None:
        return ""
    return "goal met" if e["ratio"] <= e["goal"] else "ok, not yet the goal" if e["first"] else "not yet the goal"


def table(rows):
    def number(x, digits):
        return "-" if x is None else f"{x:.{digits}f}"

    head = ["what", "figure", "ours ns", "peer ns", "ratio", "first", "goal", "peer", ""]
    lines = [head] + [[e["what"], e["figure"], number(e["ours_ns"], 1), number(e["peer_ns"], 1), number(e["ratio"], 3),
                       number(e["first"], 2), number(e["goal"], 2), e["peer"] or "-", verdict(e, m)] for e, m in rows]
    width = [max(len(l[i]) for l in lines) for i in range(len(head))]
    for l in lines:
        print("  ".join(c.rjust(w) if 2 <= i <= 6 else c.ljust(w) for i, (c, w) in enumerate(zip(l, width))).rstrip())


def exit_code(rows):
    if any(e["ratio"] is not None and e["first"] is not None and e["ratio"] > e["first"] for e, _ in rows):
        return 1
    return 2 if any(e["ratio"] is None and e["first"] is not None for e, _ in rows) else 0

# ---- main -------------------------------------------------------------------------------------------------------

def arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--quick", action="store_true", help="fewer batches and one round: for experiments, not for results")
    p.add_argument("--skip-build", action="store_true", help="install, generate and compile nothing")
    p.add_argument("--ours", type=Path, metavar="PATH", help="this program instead of building target/release/ours")
    p.add_argument("--batch", action="store_true", help="also certify 1,000 clips, on two cores")
    p.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)), help="CPU to run on, default %(default)s")
    return p.parse_args()


def run(args):
    RATIOS.unlink(missing_ok=True)  # a failed run must not leave old ratios
    if not args.skip_build:
        build(args.ours is not None, args.batch)
    batches = QUICK_BATCHES if args.quick else BATCHES
    programs = [("Pinocchio", [OUT / "pin_bench", MODELS, batches]),
                ("MuJoCo", [OUT / "mj_bench", MODELS, batches]),
                ("Pinocchio and ProxQP", [OUT / "wbc_bench", MODELS]),
                ("ours", [args.ours.resolve() if args.ours else OURS, MODELS, batches])]
    for name, (binary, *_) in programs:
        if not binary.is_file():
            raise CannotRun(f"{binary} is not there" + (": run once without --skip-build" if args.skip_build else ""))
    if missing := without_wasm() or (None if WASM.is_file() else f"{WASM} is not there"):
        say(f"WebAssembly is skipped: {missing}")
    else:
        programs.append(("ours in WebAssembly", ["node", HERE.parent / "wasm" / "time.mjs", WASM,
                                                 MODELS / "human28.txt", batches]))
    if (load := os.getloadavg()[0]) > 1:
        say(f"the machine is busy (load {load:.1f}): ratios are less sure")
    numbers = measure(programs, QUICK_ROUNDS if args.quick else ROUNDS, args.core)
    check_figures(numbers)
    check_errors(numbers)
    if args.batch:
        certify_clips(numbers)
    rows = compare(numbers)
    RATIOS.parent.mkdir(parents=True, exist_ok=True)
    RATIOS.write_text(json.dumps([e for e, _ in rows], indent=1) + "\n")
    table(rows)
    say(f"wrote {RATIOS.relative_to(ROOT)}")
    return exit_code(rows)


def main():
    args = arguments()
    try:
        return run(args)
    except CannotRun as e:
        say(f"cannot run: {e}")
        return 2


if __name__ == "__main__":
    sys.exit(main())
