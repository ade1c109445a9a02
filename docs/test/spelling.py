"""Spelling, by codespell in target/docs-venv. Where it cannot be installed this is said, and nothing is checked."""

import subprocess
import sys
from pathlib import Path

VERSION = "codespell==2.4.3"
# words of ours that look like slips: a file format, parts of stairs and walks
OURS = "mot,tread,trough,nd,fro,ans,te"


def complaints(files: list[Path], target: Path) -> tuple[list[str], str | None]:
    """What is misspelt, and a note where nobody could look."""
    venv = target / "docs-venv"
    program = venv / "bin/codespell"
    if not program.exists():
        made = subprocess.run([sys.executable, "-m", "venv", venv], capture_output=True, text=True)
        pip = [venv / "bin/pip", "install", "--quiet", "--disable-pip-version-check", VERSION]
        made = made if made.returncode else subprocess.run(pip, capture_output=True, text=True)
        if made.returncode:
            return [], f"spelling was not checked, {VERSION} cannot be installed: {(made.stderr.strip() or made.stdout.strip()).splitlines()[-1]}"
    got = subprocess.run([program, "--ignore-words-list", OURS, *files], capture_output=True, text=True)
    return got.stdout.splitlines(), None
