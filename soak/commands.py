"""Random valid and invalid command lines of `anthropi`: exit code 0, 1 or 2 within time and memory limits, no panic, no NaN or
infinity in output or files, no partial files."""

import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path

from part import PANIC, Part

# a non-finite number as a separate word
NONE = re.compile(rb"(?<![\w.-])[-+]?(nan|inf|infinity)(?![\w(])", re.I)
# limits of a command: processor time, wall time (s), address space
PROCESSOR, PATIENCE, ROOM = 60, 900, 6 << 30
COMMANDS = ["inspect", "compute", "simulate", "convert", "filter", "walk", "certify", "inverse", "batch", "list", "completions", "man",
            "licences", "studio"]
# relative frequencies: quick commands more often
WEIGHTS = [10, 10, 10, 14, 3, 2, 10, 8, 3, 1, 1, 1, 1, 1]
# options that cause long work are left out or take these values
CALM = {"--duration": ["0.05", "0.2"], "--steps": ["1", "2"], "--runs": ["1"], "--repeat": ["1", "2"], "--directions": ["1"],
        "--jobs": ["1", "2"], "--dt": ["0.001", "0.002", "0.0005"], "--random-velocities": ["7"], "--port": ["0"]}
NEVER = {"--survive", "--help", "--version", "--hidds"}
SANE = {"M": ["1.7", "0.01", "1", "1.85"], "KG": ["70", "55.5"], "HZ": ["6", "30", "120"], "S": ["0.1", "0.5"], "MU": ["0.5", "1"],
        "TIMES": ["1", "2"], "FACTOR": ["0.9", "1", "1.2"], "DEG": ["10", "-20"], "X,Y,Z": ["0,0,-9.81", "0,0,0"], "FROM,TO": ["0.1,0.9"],
        "DEG,FROM,TO": ["30,0.2,0.8"], "WEIGHT": ["0.5"], "V": ["1.2"], "L": ["0.6"], "F": ["1.8"], "N": ["1", "2"],
        "RISE,TREAD": ["0.15,0.3"], "LINK": ["chest"], "LINK,AT,FOR,FX,FY,FZ": ["chest,0.2,0.1,0,40,0"], "NAME@TIME": ["click@0.1"],
        "LIST": ["dofs,com", "mass_matrix", "jacobian:left_foot", "forward_dynamics", "inverse_dynamics,momentum"],
        "NAME=AMOUNT": ["foot=0.5"], "NAME": ["pelvic_list"], "LINK=FACTOR": ["chest=1.1"], "P": ["0"], "A,B,..": ["left_knee"],
        "WORD|FILE.toml": ["happily", "tired"], "SHELL": ["bash", "zsh", "fish"]}
WILD = ["nan", "inf", "-inf", "0", "-0", "-1", "1e300", "1e-300", "-1e300", "99999999999999999999", "", " ", "abc", "1,2", "1,2,3,4", "0x10",
        "1e", "--", "é", "\u0001", "'", "NaN,0,1", "../..", "/", "/dev/null", "." * 300]
FIGURES = ["human-16", "human-28", "human-40", "anthropi-42"]
SCENES = ["pendulum", "four-bar", "high-bar", "drop-box", "stand-28", "spin-plate", "swing-break", "step-28"]
MOTIONS = ["keyed-walk", "keyed-kick", "keyed-jump", "keyed-sit-stand"]


class Option:
    def __init__(self, name, hint):
        self.name, self.hint, self.words = name, hint, []


def options(program, command):
    """Options of a command, from its help."""
    text = subprocess.run([program, command, "--help"], capture_output=True, text=True).stdout
    found = []
    for line in text.splitlines():
        option = re.match(r"\s+(?:-\w, )?(--[a-z-]+)(?: <([^>]*)>)?", line)
        word = re.match(r"\s+- ([\w-]+):", line)
        if option:
            found.append(Option(*option.groups()))
        elif word and found:
            found[-1].words.append(word.group(1))
    return [o for o in found if o.name not in NEVER]


class Writer:
    """Generates command lines."""

    def __init__(self, part, files):
        self.part, self.rng, self.files = part, part.rng, files
        self.options = {c: options(part.args.program, c) for c in COMMANDS}

    def value(self, option):
        rng = self.rng
        if rng.random() < 0.15:
            return rng.choice(WILD)
        if option.name in CALM:
            return rng.choice(CALM[option.name])
        if option.words:
            return rng.choice(option.words)
        if option.hint in SANE:
            return rng.choice(SANE[option.hint])
        if option.name == "--export" or option.hint == "DIR":
            return f"out{rng.randrange(3)}"
        if option.hint == "FILE.html":
            return "page.html"
        if option.name == "--out":
            return "out" + rng.choice([".bvh", ".csv", ".json", ".mot", ".sto", ".glb", ".svg", ".xyz"])
        if option.hint in ("MOTION", "FILE|NAME"):
            return rng.choice(MOTIONS + FIGURES) if rng.random() < 0.7 else str(rng.choice(self.files))
        return str(rng.choice(self.files))

    def subject(self, command):
        """Main argument of a command."""
        rng = self.rng
        if rng.random() < 0.3:
            return str(rng.choice(self.files))
        # keyframed motions take a second to generate
        if command not in ("inspect", "compute", "simulate") and rng.random() < 0.8:
            return str(rng.choice([f for f in self.files if f.stem == "kick" and f.suffix in (".bvh", ".json")]))
        if rng.random() < 0.05:
            return rng.choice(WILD + ["no-such-thing", "human28"])
        if command in ("inspect", "compute"):
            return rng.choice(FIGURES + SCENES)
        if command == "simulate":
            return rng.choice(SCENES + FIGURES)
        return rng.choice(MOTIONS)

    def line(self):
        rng = self.rng
        command = rng.choices(COMMANDS, WEIGHTS)[0]
        words = [command]
        if command == "convert":
            out = "out" + rng.choice([".bvh", ".csv", ".json", ".mot", ".sto", ".glb", ".gltf", ".svg", ".toml", ".urdf", ".xml", ".trc"])
            words += [self.subject(rng.choice(["inspect", command])), out]
        elif command == "batch":
            words += [str(self.files[0].parent) if rng.random() < 0.5 else str(rng.choice(self.files)), "--out", "out"]
        elif command == "simulate":
            words += [self.subject(command), "--duration", rng.choice(CALM["--duration"])]
        elif command == "walk":
            words += ["--steps", "1"]
        elif command == "completions":
            words += [rng.choice(["bash", "zsh", "fish", "powershell", "sh"])]
        elif command == "man":
            words += rng.choice([[], ["pages"], ["."]])
        elif command == "studio":
            # it would serve forever
            words += ["--export", "page"]
        elif command not in ("list", "licences"):
            words += [self.subject(command)]
        if command == "compute" and rng.random() < 0.95:
            words += ["--quantities", rng.choice(SANE["LIST"])]
        for option in rng.sample(self.options[command], min(len(self.options[command]), rng.choice([0, 1, 1, 2, 3]))):
            if option.name in words and rng.random() < 0.9:
                continue
            words.append(option.name)
            if option.hint is not None:
                words.append(self.value(option))
        if rng.random() < 0.03:
            words.insert(rng.randrange(len(words) + 1), rng.choice(["--no-such-option", "-x", *WILD]))
        if rng.random() < 0.3:
            words.append("--json")
        # the system rejects NUL in arguments
        return [w for w in words if "\0" not in w]


def main():
    def more(parser):
        parser.add_argument("--program", required=True)

    with Part("random command lines", more) as part:
        part.args.program = os.path.abspath(part.args.program)
        part.args.report = os.path.abspath(part.args.report)
        work = Path(part.args.work).resolve()
        files = make_files(part, work / "files")
        place = work / "here"
        place.mkdir()
        os.chdir(place)
        writer = Writer(part, files)
        while part.left() > 0:
            one(part, writer.line(), work)


def make_files(part, folder):
    """Valid and corrupt files."""
    folder.mkdir(parents=True)
    rng, program = part.rng, part.args.program
    run = lambda *words: subprocess.run([program, *map(str, words)], capture_output=True, cwd=folder)
    for ending in [".bvh", ".json", ".csv", ".mot", ".sto"]:
        run("convert", "keyed-kick", f"kick{ending}", "--cut", "0.2,1.2")
    for ending in [".toml", ".urdf", ".xml"]:
        run("convert", "human-28", f"human{ending}")
    (folder / "state.json").write_text(json.dumps({"q": {"left_knee": 0.5}, "v": {"root": [0, 0, 0, 1, 0, 0]}}))
    (folder / "scene.toml").write_text('duration = 0.1\n[[figure]]\nuse = "human-16"\nat = [0, 0, 0.01]\n[[ground]]\nkind = "plane"\n')
    (folder / "walk.toml").write_text("[[segment]]\nsteps = 1\nspeed = 1.2\n")
    good = sorted(f for f in folder.iterdir() if f.stat().st_size > 0)
    if len(good) < 8:
        part.fault(f"only {[f.name for f in good]} could be written")
    for i in range(24):
        source = rng.choice(good)
        data = bytearray(source.read_bytes())
        for _ in range(rng.randrange(1, 4)):
            kind, at = rng.randrange(5), rng.randrange(len(data) or 1)
            if kind == 0:
                data = data[:at]
            elif kind == 1:
                data[at: at + 1] = rng.randbytes(1)
            elif kind == 2:
                data = data.replace(b"0.", rng.choice([b"nan ", b"1e308 ", b"-inf ", b"-1e9"]), rng.randrange(1, 4))
            elif kind == 3:
                data[at:at] = data[: rng.randrange(1, 400)]
            else:
                data = data.replace(rng.choice([b"\n", b"=", b"1", b" ", b"["]), rng.choice([b"", b"\n\n", b"99", b"}"]), rng.randrange(1, 5))
        (folder / f"bad{i}{source.suffix}").write_bytes(data)
    return sorted(folder.iterdir())


def confine():
    resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def one(part, words, work):
    """Runs one command line in an empty folder and checks its output and files."""
    here, tmp = Path.cwd(), work / "tmp"
    tmp.mkdir(exist_ok=True)
    line = shlex.join(["anthropi", *words])
    began = time.monotonic()
    env = {**os.environ, "TMPDIR": str(tmp), "NO_COLOR": "1"}
    process = subprocess.Popen([part.args.program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=env, preexec_fn=confine, start_new_session=True)
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        part.fault(f"not finished after {PATIENCE} s: {line}")
    if process.returncode == -signal.SIGXCPU:
        part.fault(f"not finished after {PROCESSOR} s of processor time: {line}")
    seconds = time.monotonic() - began
    part.count(words[0] if words[0] in COMMANDS else "invalid commands")
    part.count(f"exit {process.returncode}")
    part.series["slowest"] = max(part.series.get("slowest", [0, ""]), [round(seconds, 2), line])
    text = err.decode(errors="replace")
    if process.returncode not in (0, 1, 2, -signal.SIGKILL, -signal.SIGXCPU):
        part.fault(f"exit code {process.returncode}: {line}: {text[-300:]}")
    if PANIC.search(text) or PANIC.search(out.decode(errors="replace")):
        part.fault(f"panicked: {line}: {text[-500:]}")
    if process.returncode == 2 and not text.strip():
        part.fault(f"exit code 2 without a message: {line}")
    if process.returncode in (0, 1):
        check_finite(part, line, "its output", out)
        for f in here.rglob("*"):
            if f.is_file() and f.suffix in (".csv", ".json", ".svg", ".html", ".bvh", ".mot", ".sto", ".toml", ".urdf", ".xml", ".trc", ".gltf", ".jsonl"):
                check_finite(part, line, f.name, f.read_bytes())
    left = [str(f) for f in [*here.rglob(".*"), *tmp.rglob("*")]]
    if left:
        part.fault(f"leaves {', '.join(left[:3])}: {line}")
    for folder in (here, tmp):
        for f in folder.iterdir():
            shutil.rmtree(f) if f.is_dir() and not f.is_symlink() else f.unlink()


def check_finite(part, line, where, data):
    # scripts of pages may mention such numbers
    data = re.sub(rb"<script.*?</script>", b"", data, flags=re.S)
    found = NONE.search(data)
    if found:
        excerpt = data[max(0, found.start() - 60): found.end() + 40].decode(errors="replace")
        part.fault(f"`{found.group().decode()}` in {where}: {line}: ...{excerpt}...")


if __name__ == "__main__":
    main()
