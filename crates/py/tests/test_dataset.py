"""Data sets: rows, resuming, threads, Ray and the command line; killed workers and drivers."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import anthropi
import pytest
from anthropi import dataset, errors

# How often each recording is copied; the requirement is 20.
COPIES = int(os.environ.get("ANTHROPI_COPIES", "2"))


@pytest.fixture(scope="session")
def walks(tmp_path_factory):
    """A dozen walks at different speeds."""
    folder = tmp_path_factory.mktemp("walks")
    walk = anthropi.Clip.load("keyed-walk").cut(0, 1.2)
    for k in range(12):
        walk.at_speed(0.8 + 0.03 * k).save(folder / f"walk{k:02}.bvh")
    return folder


@pytest.fixture
def folder(walks, tmp_path):
    """Three walks, one in a folder below, and a file that is none."""
    (tmp_path / "in/deep").mkdir(parents=True)
    for name, to in [("walk00.bvh", "a.bvh"), ("walk01.bvh", "b.bvh"), ("walk02.bvh", "deep/a.bvh")]:
        shutil.copy(walks / name, tmp_path / "in" / to)
    (tmp_path / "in/broken.bvh").write_text("HIERARCHY\nnonsense")
    return tmp_path


def journal(out):
    return [json.loads(line) for line in (pathlib.Path(out) / "journal.jsonl").read_text().splitlines()]


def table(results):
    pq = pytest.importorskip("pyarrow.parquet")
    return pq.read_table(results.parquet).to_pylist()


def test_a_row_for_each_clip_and_one_for_what_fails(folder):
    heard = []
    results = dataset.certify(folder / "in", folder / "out", progress=lambda *progress: heard.append(progress[:2]))
    assert [r["path"] for r in results.rows] == ["a.bvh", "b.bvh", "broken.bvh", "deep/a.bvh"]
    assert [r["status"] for r in results.rows] == ["ok", "ok", "refused", "ok"]
    assert heard == [(k, 4) for k in range(1, 5)] and (results.done, results.skipped) == (4, 0)
    [bad] = results.failures
    assert bad["error"].startswith("broken.bvh:2:")
    rows = table(results)
    assert [r["path"] for r in rows] == [r["path"] for r in results.rows]
    certificate = anthropi.certify(folder / "in/a.bvh").to_dict()
    assert rows[0]["torque_peak_Nm"] == certificate["torque_peak_Nm"] == results.rows[0]["torque_peak_Nm"]
    assert rows[0]["verdict"] == certificate["verdict"] and rows[2]["verdict"] is None


def test_resuming_goes_by_content_and_settings(folder):
    first = dataset.certify(str(folder / "in"), folder / "out")
    again = dataset.certify([folder / "in/*.bvh", folder / "in/deep"], folder / "out")
    assert (again.done, again.skipped) == (0, 4), "the same clips by other words"
    assert again.rows == first.rows
    text = (folder / "in/a.bvh").read_text()
    (folder / "in/a.bvh").write_text(text + "\n")
    assert dataset.certify(folder / "in", folder / "out").done == 1
    assert dataset.certify(folder / "in", folder / "out", friction=0.5).done == 4
    assert dataset.certify(folder / "in", folder / "out", resume=False).done == 4


def test_the_program_and_the_package_resume_each_other(folder, program):
    def batch(out, *options):
        words = [program, "batch", folder / "in", "--out", folder / out, "--resume", "--json", *options]
        got = subprocess.run(words, capture_output=True, text=True)
        assert got.returncode == 1, got.stderr
        return json.loads(got.stdout)

    assert dataset.certify(folder / "in", folder / "ours").done == 4
    assert batch("ours")["done"] == 0
    assert batch("theirs")["done"] == 4
    assert dataset.certify(folder / "in", folder / "theirs").done == 0
    for file in ["results.parquet", "results.csv"]:
        assert (folder / "ours" / file).read_bytes() == (folder / "theirs" / file).read_bytes(), file
    # with options, too
    options = ["--job", "filter", "--mode", "online", "--strength", "2", "--friction", "0.7", "--height", "1.8"]
    options += ["--assist", "none", "--speed", "1"]
    assert batch("filtered", *options, "--sex", "female", "--cutoff", "10")["done"] == 4
    how = {"mode": "online", "strength": 2.0, "friction": 0.7, "height": 1.8, "sex": "female", "cutoff": 10}
    how |= {"assist": "none", "speed": 1}
    assert dataset.filter(folder / "in", folder / "filtered", **how).done == 0


def test_what_cannot_run_is_refused(folder):
    with pytest.raises(errors.FileError, match="no such|No such"):
        dataset.certify(folder / "none", folder / "out")
    with pytest.raises(errors.AnthropiError, match="nothing matches"):
        dataset.certify(folder / "in/*.fbx", folder / "out")
    with pytest.raises(errors.AnthropiError, match="cannot also hold the results"):
        dataset.certify(folder / "in", folder / "in")
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        dataset.certify(folder / "in", folder / "out", colour="red")
    with pytest.raises(errors.UnknownNameError, match="did you mean `human-28`"):
        dataset.certify(folder / "in", folder / "out", figure="humam-28")
    with pytest.raises(ValueError, match="workers is 0"):
        dataset.certify(folder / "in", folder / "out", workers=0)
    work = anthropi._anthropi.Work("certify", folder / "out", {})
    run = anthropi._anthropi.Run(work, folder / "out")
    with pytest.raises(errors.AnthropiError, match="in use by another run"):
        dataset.certify(folder / "in", folder / "out")
    del run


def test_outputs_are_made_again_where_they_are_gone(folder):
    results = dataset.filter(folder / "in", folder / "out")
    made = folder / "out/motions/deep/a.bvh"
    assert len(anthropi.Clip.load(made)) > 50 and results.rows[0]["fell"] is False
    assert all(r["output_verdict"] == "consistent" for r in results.rows if r["status"] == "ok")
    made.unlink()
    assert dataset.filter(folder / "in", folder / "out").done == 1 and made.exists()


# ---- Ray ------------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def quiet_ray(monkeypatch):
    """Ray works off-line and without a token."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")


def same_tables(one, other):
    assert one.rows and len(one) == len(other)
    for file in ["results.parquet", "results.csv"]:
        assert (one.out / file).read_bytes() == (other.out / file).read_bytes(), file


def test_recordings_have_the_same_rows_on_ray_and_on_threads(mocap, tmp_path):
    pytest.importorskip("ray")
    clips = sorted(mocap.glob("*.bvh"))
    assert len(clips) == 15
    for clip in clips:
        for k in range(COPIES):
            (tmp_path / "in" / f"{k:02}").mkdir(parents=True, exist_ok=True)
            shutil.copy(clip, tmp_path / "in" / f"{k:02}" / clip.name)
    threads = dataset.certify(tmp_path / "in", tmp_path / "threads", workers=2)
    ray = dataset.certify(tmp_path / "in", tmp_path / "ray", ray="local", workers=2)
    assert len(threads) == 15 * COPIES and threads.failures == []
    same_tables(threads, ray)
    print(f"{len(ray)} recordings: {threads.seconds:.1f} s on two threads, {ray.seconds:.1f} s on a Ray of two")


@pytest.mark.skipif(not os.path.exists("/proc/self"), reason="workers are found by /proc")
def test_killing_a_worker_loses_nothing(walks, tmp_path):
    pytest.importorskip("ray")
    killed, before = [], []

    def kill_one(done, total, row):
        if not killed and done >= 3:
            killed.extend(kill_a_worker())
            before.extend(journal(tmp_path / "ray"))

    ray = dataset.filter(walks, tmp_path / "ray", ray="local", workers=2, progress=kill_one)
    assert len(killed) == 1, "a worker was killed while it worked"
    lines = journal(tmp_path / "ray")
    assert [row["status"] for row in lines] == ["ok"] * 12, lines
    assert len({row["path"] for row in lines}) == 12, "no clip was done twice"
    assert 3 <= len(before) < 12 and lines[: len(before)] == before
    same_tables(dataset.filter(walks, tmp_path / "threads", workers=2), ray)


def kill_a_worker():
    """Kills a worker of our own Ray that works on a clip just now."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        for pid in descendants(os.getpid()):
            if title(pid).startswith("ray::row"):
                os.kill(pid, signal.SIGKILL)
                return [pid]
        time.sleep(0.02)
    return []


def descendants(pid):
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(word) for word in task.read_text().split()]
        except OSError:
            continue
        for child in children:
            found += [child, *descendants(child)]
    return found


def title(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


@pytest.mark.parametrize("pool", ["threads", "ray"])
def test_killing_the_driver_repeats_nothing(walks, tmp_path, pool):
    where = {"ray": "local"} if pool == "ray" else {}
    if where:
        pytest.importorskip("ray")
    script = f"import anthropi; anthropi.dataset.filter({str(walks)!r}, {str(tmp_path / 'out')!r}, workers=2, **{where})"
    driver = subprocess.Popen([sys.executable, "-c", script])
    try:
        until = time.monotonic() + 120
        while lines_of(tmp_path / "out") < 3 and driver.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
    finally:
        driver.kill()
        driver.wait()
    done = [row["path"] for row in journal(tmp_path / "out")]
    assert 3 <= len(done) < 12 and not (tmp_path / "out/results.parquet").exists()
    results = dataset.filter(walks, tmp_path / "out", workers=2, **where)
    assert (results.skipped, results.done) == (len(done), 12 - len(done))
    paths = [row["path"] for row in journal(tmp_path / "out")]
    assert paths[: len(done)] == done and sorted(paths) == sorted(p.name for p in walks.iterdir())
    assert results.failures == []


def lines_of(out):
    path = out / "journal.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0
