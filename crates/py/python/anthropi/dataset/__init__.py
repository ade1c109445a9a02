"""Data sets: a job for every motion in folders, here or on a cluster, and one table of what came out.

>>> results = anthropi.dataset.certify("mocap/**/*.bvh", "results")                      # threads of this machine
>>> results = anthropi.dataset.filter("mocap", "results", ray="local", workers=8)        # Ray on this machine
>>> results = anthropi.dataset.filter("mocap", "results", ray="auto", mode="online")     # a Ray cluster

``results/results.parquet`` and ``.csv`` have one row a clip; a clip that fails is a row with its error. Rows that are
done are in ``results/journal.jsonl``: a run that was killed goes on where it was, by the content of the files and the
options. The program's ``anthropi batch`` writes and resumes the same folders.
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
    """Judges every motion of folders, files and patterns, as ``anthropi.certify`` does.

    ``ray`` is None for threads of this process, "local" for a Ray of this machine, or the address of a cluster ("auto",
    "ray://..."), which must see the same files. ``workers`` clips are worked on at once. ``pages`` writes a page of HTML
    for each clip. Other options are those of ``Clip.load``.
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
    cutoff: float | Literal["auto", "none"] | None = None,
    friction: float | None = None,
    ground: float | None = None,
    pages: bool = False,
    **options: Any,
) -> Results:
    """Filters every motion of folders, files and patterns, as ``anthropi.filter`` does; writes ``motions/NAME.bvh``.

    Everything else is as for ``certify``.
    """
    how = {"mode": mode, "solver": solver, "strength": strength}
    given = {"cutoff": cutoff, "friction": friction, "ground": ground, "pages": pages, **how, **options}
    return run("filter", paths, out, given, ray=ray, workers=workers, resume=resume, progress=progress)
