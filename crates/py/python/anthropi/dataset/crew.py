"""Who works on clips. A crew takes them as it can: only so many are handed out at a time."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from anthropi._anthropi import Work
from anthropi.typing import ClipEntry

# Clips that wait for each worker: enough that none is idle, few enough that little is lost or piled up.
AHEAD = 2


@dataclass
class Job:
    """What is done: enough to do it in another process."""

    name: str
    out: str
    options: dict[str, Any]
    work: Work


class Crew(ABC):
    """Workers on one job."""

    @abstractmethod
    def rows(self, clips: list[ClipEntry]) -> Iterator[str]:
        """Rows of clips as they are done, in any order."""

    @abstractmethod
    def dismiss(self) -> None:
        """Nobody works any more."""


class Threads(Crew):
    """Threads of this process: the engine works while Python waits."""

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

    def dismiss(self) -> None:
        self.pool.shutdown(wait=True, cancel_futures=True)
