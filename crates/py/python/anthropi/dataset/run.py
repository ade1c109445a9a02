"""One run over a data set."""

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
from anthropi.dataset.pool import Job, Pool, Threads

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
Progress = bool | Callable[[int, int, dict[str, Any]], None]


@dataclass
class Results:
    """Results: one row per clip, sorted by path."""

    out: Path
    rows: list[dict[str, Any]] = field(repr=False)
    done: int
    """Clips processed by this run."""
    seconds: float

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def skipped(self) -> int:
        """Clips processed by earlier runs."""
        return len(self.rows) - self.done

    @property
    def failures(self) -> list[dict[str, Any]]:
        """Rows without a result, each with its ``error``."""
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
    """Finds the clips, processes those that are not done, journals each row and writes the tables."""
    started = time.monotonic()
    options = {name: value for name, value in options.items() if value is not None}
    inputs = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    clips = find_clips([os.fspath(path) for path in inputs], out)
    work = Work(job, out, options)
    run = Run(work, out, resume)
    for warning in run.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    shown = ShownProgress(len(clips), progress)

    before = {clip[0]: run.done_before(clip) for clip in clips}
    rows = [row for row in before.values() if row is not None]
    for row in rows:
        shown.add(row)
    # large clips first, so that none runs alone at the end
    todo = sorted((clip for clip in clips if before[clip[0]] is None), key=lambda clip: -clip[2])
    pool = open_pool(Job(job, os.fspath(out), options, work), ray, workers)
    try:
        for row in pool.rows(todo):
            run.keep(row)
            rows.append(row)
            shown.add(row)
    finally:
        pool.close()
        shown.end()
    run.finish(rows)
    ordered = sorted((json.loads(row) for row in rows), key=lambda row: row["path"].encode())
    return Results(Path(out), ordered, len(todo), time.monotonic() - started)


def open_pool(job: Job, ray: bool | str | None, workers: int | None) -> Pool:
    """Threads, or Ray if requested."""
    if workers is not None and workers < 1:
        raise ValueError(f"workers is {workers}, expected at least one")
    if ray is None or ray is False:
        return Threads(job, workers)
    from anthropi.dataset.cluster import Cluster

    return Cluster(job, "local" if ray is True else ray, workers)


class ShownProgress:
    """Progress as a line on a terminal, or by a callback."""

    def __init__(self, total: int, progress: Progress) -> None:
        self.total, self.progress = total, progress
        self.done = self.bad = 0
        self.is_shown = progress is True and sys.stderr.isatty()

    def add(self, row: str) -> None:
        """Counts a row."""
        self.done += 1
        if callable(self.progress) or self.is_shown:
            values = json.loads(row)
            self.bad += values["status"] != "ok"
            if callable(self.progress):
                self.progress(self.done, self.total, values)
            else:
                print(f"\rclips {self.done}/{self.total}, {self.bad} failed", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Ends the line."""
        if self.is_shown:
            print(file=sys.stderr)
