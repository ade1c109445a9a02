"""Data sets: run a job on every motion in folders, locally or on a cluster, and collect the results in one table.

>>> results = anthropi.dataset.certify("mocap/**/*.bvh", "results")                      # threads of this machine
>>> results = anthropi.dataset.filter("mocap", "results", ray="local", workers=8)        # Ray on this machine
>>> results = anthropi.dataset.filter("mocap", "results", ray="auto", mode="online")     # a Ray cluster

``results/results.parquet`` and ``.csv`` have one row per clip; the row of a clip that fails has its error. Finished rows
are in ``results/journal.jsonl``: a run resumes by the content of the files and the options. The command ``anthropi
batch`` writes and resumes the same folders.
"""

from __future__ import annotations

from typing import Any, Literal

from anthropi.dataset.run import Paths, Progress, Results, run
from anthropi.typing import Path

__all__ = ["Results", "certify", "filter"]

Ray = bool | str | None


def certify(
    paths: Paths,
    out: Path,
    *,
    ray: Ray = None,
    workers: int | None = None,
    resume: bool = True,
    progress: Progress = True,
    cutoff: float | Literal["auto", "none"] | None = None,
    friction: float | None = None,
    ground: float | None = None,
    pages: bool = False,
    **options: Any,
) -> Results:
    """Assesses every motion of folders, files and patterns, as ``anthropi.certify`` does.

    ``ray`` is None for threads of this process, "local" for Ray on this machine, or the address of a cluster ("auto",
    "ray://...") with access to the same files. ``workers`` is the number of clips at a time. ``pages`` writes an HTML
    report per clip. Other options are those of ``Clip.load``.
    """
    given = {"cutoff": cutoff, "friction": friction, "ground": ground, "pages": pages, **options}
    return run("certify", paths, out, given, ray=ray, workers=workers, resume=resume, progress=progress)


def filter(
    paths: Paths,
    out: Path,
    *,
    ray: Ray = None,
    workers: int | None = None,
    resume: bool = True,
    progress: Progress = True,
    mode: Literal["online", "offline"] | None = None,
    solver: Literal["qp", "pinv"] | None = None,
    strength: float | None = None,
    assist: float | Literal["auto", "none"] | None = None,
    speed: Literal["auto", 1] | None = None,
    cutoff: float | Literal["auto", "none"] | None = None,
    friction: float | None = None,
    ground: float | None = None,
    pages: bool = False,
    **options: Any,
) -> Results:
    """Filters every motion of folders, files and patterns, as ``anthropi.filter`` does; writes ``motions/NAME.bvh``.

    Everything else is as for ``certify``.
    """
    how = {"mode": mode, "solver": solver, "strength": strength, "assist": assist, "speed": speed}
    given = {"cutoff": cutoff, "friction": friction, "ground": ground, "pages": pages, **how, **options}
    return run("filter", paths, out, given, ray=ray, workers=workers, resume=resume, progress=progress)
