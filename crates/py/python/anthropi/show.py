"""Figures and motions in the studio, served by ``anthropi studio``."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anthropi import Clip, Figure

# Height of the page in a notebook.
HEIGHT = 600


class Studio:
    """A running studio; it ends with ``close`` or with Python."""

    def __init__(self, program: str, path: Path, is_embedded: bool) -> None:
        command = [program, "studio", str(path), "--json"] + (["--embed"] if is_embedded else [])
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        # one JSON object, over one or several lines
        output = ""
        while "}" not in output:
            line = self.process.stdout.readline()
            if not line:
                _, error = self.process.communicate()
                raise OSError(f"{program} studio: {error.strip()}")
            output += line
        self.address: str = json.loads(output)["address"]
        atexit.register(self.close)

    def close(self) -> None:
        """Ends the studio."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()

    def _repr_html_(self) -> str:
        return f'<iframe src="{self.address}" width="100%" height="{HEIGHT}" style="border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<Studio at {self.address}>"


class Picture:
    """A picture (SVG) in place of the studio: notebooks show it, ``save`` writes it."""

    def __init__(self, svg: str, why: str) -> None:
        self.svg, self.why = svg, why

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the SVG."""
        Path(path).write_text(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Picture; {self.why}>"


def clip(shown: Clip) -> Studio | Picture:
    """Shows a motion."""
    return _open("motion.json", shown)


def figure(shown: Figure) -> Studio | Picture:
    """Shows a figure."""
    return _open("figure.toml", shown)


def _open(name: str, shown: Any) -> Studio | Picture:
    program = os.environ.get("ANTHROPI") or shutil.which("anthropi")
    if program is None:
        return Picture(shown.to_svg(), "the studio needs the program `anthropi` on the path or in $ANTHROPI")
    folder = Path(tempfile.mkdtemp(prefix="anthropi-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shown.save(folder / name)
    try:
        return Studio(program, folder / name, _is_notebook())
    except OSError as error:
        return Picture(shown.to_svg(), str(error))


def _is_notebook() -> bool:
    """Whether this runs in a notebook."""
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"
