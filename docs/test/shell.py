"""Runs the commands of a page in its own folder: `anthropi`, and `python3 docs/record.py`, which checks a record with MuJoCo
(in target/oracle-venv, created by `oracle/run.sh`). Skips other programs."""

import os
import re
import subprocess
import urllib.request
from dataclasses import dataclass
from pathlib import Path

OTHERS = {"make", "cargo", "pip", "git", "cd", "python3", "mdbook", "docs/test.sh"}
# Options that shorten slow commands: pattern, option, appended text.
SHORT = [(r"--survive\b", "--directions", " --directions 2")]
TIMEOUT = 120
RECORD = "python3 docs/record.py"
ROOT = Path(__file__).resolve().parents[2]  # $SOURCE in set-up commands


@dataclass
class Command:
    """A command of a page and its expected exit code."""

    text: str
    line: int
    code: int = 0
    shown: list[str] | None = None  # its output, if the page shows it


def commands(text: str, first: int, is_console: bool) -> list[Command]:
    """The commands of a block; in a console block those after `$`, with their output.

    >>> commands("anthropi list  # all\\nanthropi certify x  # exit code 1: no\\n", 7, False)[1].code
    1
    >>> commands("$ anthropi list\\nfigures\\n...\\n", 7, True)[0].shown
    ['figures', '...']
    """
    found: list[Command] = []
    text = re.sub(r"\\\n\s*", " ", text)
    for number, line in enumerate(text.rstrip("\n").split("\n"), first + 1):
        if is_console and not line.startswith("$ "):
            if not found:
                raise ValueError(f"line {number}: output before any command")
            found[-1].shown.append(line)
            continue
        line = line.removeprefix("$ ").strip()
        if line and not line.startswith("#"):
            code = re.search(r"# exit code (\d)", line)
            bare = re.sub(r"\s+# .*$", "", line)
            found.append(Command(bare, number, int(code[1]) if code else 0, [] if is_console else None))
    return found


def is_ours(command: str) -> bool:
    word = command.split()[0]
    if word != "anthropi" and word not in OTHERS:
        raise ValueError(f"command `{word}` is not allowed: see docs/test/shell.py")
    return word == "anthropi" or command.startswith(RECORD)


def run(command: Command, folder: Path, binary: Path) -> tuple[int, str]:
    """Exit code and output, including standard error."""
    text = command.text
    for pattern, option, more in SHORT:
        if re.search(pattern, text) and option not in text:
            text += more
    text = text.replace(RECORD, f"{mujoco()} {ROOT / 'docs/record.py'}")
    path = f"{binary.parent}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "NO_COLOR": "1", "SOURCE": str(ROOT)}
    if re.match(r"anthropi studio\b", text) and "--export" not in text:
        return studio(text, folder, env)
    got = subprocess.run(text, shell=True, cwd=folder, env=env, text=True, timeout=TIMEOUT,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return got.returncode, got.stdout


def studio(text: str, folder: Path, env: dict[str, str]) -> tuple[int, str]:
    """Starts the studio without a browser, requests its page, and stops it."""
    words = [*text.split(), "--no-open", "--port", "0"]
    with subprocess.Popen(words, cwd=folder, env=env, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        first = process.stdout.readline()
        address = re.search(r"http://\S+?/", first)
        if not address:
            return process.wait(timeout=TIMEOUT), first + process.stdout.read()
        with urllib.request.urlopen(address[0], timeout=TIMEOUT) as answer:
            page = answer.read().decode()
        process.terminate()
        output = first + process.stdout.read()
    return (0 if "<title>" in page else 1), output


def mujoco() -> Path:
    """Python with MuJoCo."""
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "oracle-venv/bin/python"


def lacks_page(output: str) -> bool:
    """Whether the program was built without the studio page (no Node.js)."""
    return "was built without the page of the studio" in output
