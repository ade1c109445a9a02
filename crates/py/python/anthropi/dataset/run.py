"""One run over a data set, whoever works on the clips."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anthropi._anthropi import Run, Work, find_clips
from anthropi.dataset.crew import Crew, Job, Threads

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
Progress = bool | Callable[[int, int, dict[str, Any]], None]


@dataclass
class Results:
    """What came out: a row a clip, sorted by path."""

    out: Path
    rows: list[dict[str, Any]] = field(repr=False)
    done: int
    """Clips of this run; the others were done before."""
    seconds: float

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def skipped(self) -> int:
        """Clips that were done before."""
        return len(self.rows) - self.done

    @property
    def failures(self) -> list[dict[str, Any]]:
        """Rows without a result: each has its ``error``."""
        return [row for row in self.rows if row["status"] != "ok"]

    @property
    def parquet(self) -> Path:
        """The table for data tools."""
        return self.out / "results.parquet"

    @property
    def csv(self) -> Path:
        """The same table as text."""
        return self.out / "results.csv"


def run(
    job: str,
    paths: Paths,
    out: str | os.PathLike[str],
    options: dict[str, Any],
    *,
    ray: bool | str | None,
    workers: int | None,
    resume: bool,
    progress: Progress,
) -> Results:
    """Finds the clips, has the crew work on those that are not done, keeps each row as it comes, writes the tables."""
    started = time.monotonic()
    options = {name: value for name, value in options.items() if value is not None}
    inputs = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    clips = find_clips([os.fspath(path) for path in inputs], out)
    work = Work(job, out, options)
    run = Run(work, out, resume)
    for warning in run.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    told = Told(len(clips), progress)

    before = {clip[0]: run.done_before(clip) for clip in clips}
    rows = [row for row in before.values() if row is not None]
    for row in rows:
        told.one(row)
    # large ones first, so that nobody is left alone with one at the end
    todo = sorted((clip for clip in clips if before[clip[0]] is None), key=lambda clip: -clip[2])
    crew = hire(Job(job, os.fspath(out), options, work), ray, workers)
    try:
        for row in crew.rows(todo):
            run.keep(row)
            rows.append(row)
            told.one(row)
    finally:
        crew.dismiss()
        told.end()
    run.finish(rows)
    ordered = sorted((json.loads(row) for row in rows), key=lambda row: row["path"].encode())
    return Results(Path(out), ordered, len(todo), time.monotonic() - started)


def hire(job: Job, ray: bool | str | None, workers: int | None) -> Crew:
    """Threads, or Ray where it is asked for."""
    if workers is not None and workers < 1:
        raise ValueError(f"workers is {workers}, expected at least one")
    if ray is None or ray is False:
        return Threads(job, workers)
    from anthropi.dataset.cluster import Cluster

    return Cluster(job, "local" if ray is True else ray, workers)


class Told:
    """How far it has come: a line on a terminal, or a function that is told."""

    def __init__(self, total: int, progress: Progress) -> None:
        self.total, self.progress = total, progress
        self.done = self.bad = 0
        self.is_shown = progress is True and sys.stderr.isatty()

    def one(self, row: str) -> None:
        """One row more."""
        self.done += 1
        if callable(self.progress) or self.is_shown:
            values = json.loads(row)
            self.bad += values["status"] != "ok"
            if callable(self.progress):
                self.progress(self.done, self.total, values)
            else:
                print(f"\rclips {self.done}/{self.total}, {self.bad} failed", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """No more."""
        if self.is_shown:
            print(file=sys.stderr)
