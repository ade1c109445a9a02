"""Worker pools. A pool queues a limited number of clips at a time."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from anthropi._anthropi import Work
from anthropi.typing import ClipEntry

# Queued clips per worker: enough that none is idle, few enough that little is lost.
AHEAD = 2


@dataclass
class Job:
    """A job, with all that another process needs."""

    name: str
    out: str
    options: dict[str, Any]
    work: Work


class Pool(ABC):
    """Workers on one job."""

    @abstractmethod
    def rows(self, clips: list[ClipEntry]) -> Iterator[str]:
        """Rows of clips as they finish, in any order."""

    @abstractmethod
    def close(self) -> None:
        """Stops the workers."""


class Threads(Pool):
    """Threads of this process: the engine releases the interpreter lock."""

    def __init__(self, job: Job, workers: int | None) -> None:
        self.work, self.workers = job.work, workers or os.cpu_count() or 1
        self.pool = ThreadPoolExecutor(self.workers)

    def rows(self, clips: list[ClipEntry]) -> Iterator[str]:
        waiting: set[Future[str]] = set()
        for clip in clips:
            waiting.add(self.pool.submit(self.work.row, clip))
            while len(waiting) >= AHEAD * self.workers:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)

    def close(self) -> None:
        self.pool.shutdown(wait=True, cancel_futures=True)
