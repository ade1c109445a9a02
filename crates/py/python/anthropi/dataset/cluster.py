"""A pool on Ray: one task per clip, retried if its worker dies."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from typing import Any

from anthropi._anthropi import Work
from anthropi.dataset.pool import AHEAD, Job, Pool
from anthropi.typing import ClipEntry

# Retries of a clip after its worker dies.
RETRIES = 3


class Cluster(Pool):
    """Ray tasks, on this machine ("local") or at an address."""

    def __init__(self, job: Job, address: str, workers: int | None) -> None:
        ray: Any
        try:
            import ray
        except ImportError as error:
            raise ImportError("data sets on a cluster need Ray: pip install 'anthropi[ray]'") from error
        self.ray, self.job = ray, job
        self.is_ours = not ray.is_initialized()
        if self.is_ours:
            self.start(address, workers)
        processors = max(1, int(ray.cluster_resources().get("CPU", 1)))
        # with fewer workers than processors, one clip per worker
        self.most = workers if workers and workers < processors else AHEAD * processors
        self.task = ray.remote(num_cpus=1, max_retries=RETRIES)(row)

    def start(self, address: str, workers: int | None) -> None:
        """Joins a cluster, or starts a local one."""
        if address != "local":
            self.ray.init(address=address)
            return
        quiet = {"include_dashboard": False, "log_to_driver": False, "_node_ip_address": "127.0.0.1"}
        self.ray.init(address="local", num_cpus=workers or os.cpu_count(), **quiet)

    def rows(self, clips: list[ClipEntry]) -> Iterator[str]:
        waiting: dict[Any, ClipEntry] = {}
        for clip in clips:
            ref = self.task.remote(self.job.name, self.job.out, tuple(self.job.options.items()), os.getcwd(), clip)
            waiting[ref] = clip
            if len(waiting) >= self.most:
                yield self.next(waiting)
        while waiting:
            yield self.next(waiting)

    def next(self, waiting: dict[Any, ClipEntry]) -> str:
        """The row of a finished clip, or of one whose workers died."""
        [ref], _ = self.ray.wait(list(waiting), num_returns=1)
        clip = waiting.pop(ref)
        try:
            row: str = self.ray.get(ref)
        except self.ray.exceptions.RayError as error:
            row = self.job.work.lost(clip, f"the worker died {RETRIES + 1} times: {type(error).__name__}")
        return row

    def close(self) -> None:
        if self.is_ours:
            self.ray.shutdown()


def row(job: str, out: str, options: tuple[tuple[str, Any], ...], folder: str, clip: ClipEntry) -> str:
    """The task: makes the row in the working directory of the caller."""
    os.chdir(folder)
    return work(job, out, options).row(clip)


@functools.lru_cache
def work(job: str, out: str, options: tuple[tuple[str, Any], ...]) -> Work:
    """The work, shared by all clips of a process."""
    return Work(job, out, dict(options))
