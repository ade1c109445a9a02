"""A crew on Ray: one task a clip. A task whose worker dies is given to another; rows come back to who asked."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from typing import Any

from anthropi._anthropi import Work
from anthropi.dataset.crew import AHEAD, Crew, Job
from anthropi.typing import ClipEntry

# So often a clip is given to another worker when one dies over it.
RETRIES = 3


class Cluster(Crew):
    """Tasks on a Ray of this machine ("local") or of an address."""

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
        # fewer workers than there are processors: no more clips than workers
        self.most = workers if workers and workers < processors else AHEAD * processors
        self.task = ray.remote(num_cpus=1, max_retries=RETRIES)(row)

    def start(self, address: str, workers: int | None) -> None:
        """Joins a cluster, or starts one here."""
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
        """The row of a clip that is done, or that no worker survives."""
        [ref], _ = self.ray.wait(list(waiting), num_returns=1)
        clip = waiting.pop(ref)
        try:
            answer: str = self.ray.get(ref)
        except self.ray.exceptions.RayError as error:
            answer = self.job.work.lost(clip, f"its worker ended {RETRIES + 1} times: {type(error).__name__}")
        return answer

    def dismiss(self) -> None:
        if self.is_ours:
            self.ray.shutdown()


def row(job: str, out: str, options: tuple[tuple[str, Any], ...], folder: str, clip: ClipEntry) -> str:
    """What a task does, in the folder of who asked."""
    os.chdir(folder)
    return work(job, out, options).row(clip)


@functools.lru_cache
def work(job: str, out: str, options: tuple[tuple[str, Any], ...]) -> Work:
    """The same work for all clips of a process."""
    return Work(job, out, dict(options))
