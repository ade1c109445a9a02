"""Checks spelling with codespell in target/docs-venv; if it cannot be installed, reports that and checks nothing."""

import subprocess
import sys
from pathlib import Path

VERSION = "codespell==2.4.3"
# valid words that codespell reports: a file format, parts of stairs and walks
OURS = "mot,tread,trough,nd,fro,ans,te"


def complaints(files: list[Path], target: Path) -> tuple[list[str], str | None]:
    """Misspelt words, and a note if the check was skipped."""
    venv = target / "docs-venv"
    program = venv / "bin/codespell"
    if not program.exists():
        made = subprocess.run([sys.executable, "-m", "venv", venv], capture_output=True, text=True)
        pip = [venv / "bin/pip", "install", "--quiet", "--disable-pip-version-check", VERSION]
        made = made if made.returncode else subprocess.run(pip, capture_output=True, text=True)
        if made.returncode:
            return [], f"spelling not checked, {VERSION} cannot be installed: {(made.stderr.strip() or made.stdout.strip()).splitlines()[-1]}"
    got = subprocess.run([program, "--ignore-words-list", OURS, *files], capture_output=True, text=True)
    return got.stdout.splitlines(), None
