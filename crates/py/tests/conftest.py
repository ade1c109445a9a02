"""Fixtures and helpers shared by all tests; skipped tests are recorded, and fail with CI=true."""

import json
import os
import pathlib
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
# the one reason to skip that CI accepts: recordings we may not redistribute
NO_RECORDINGS = "no shared recordings; ANTHROPI_DATA names their folder"
# ratios to Pinocchio hold for optimised builds: make test-all
collect_ignore = ["test_speed.py"] if os.environ.get("PROFILE") == "dev" else []
NAMES = ["human-16", "human-28", "human-40", "anthropi-42"]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        if file := os.environ.get("ANTHROPI_SKIPS"):
            with open(file, "a") as skips:
                print(f"SKIPPED {item.name}: {reason}", file=skips)
        if os.environ.get("CI") == "true" and reason != NO_RECORDINGS:
            report.outcome, report.longrepr = "failed", f"skipped in CI: {reason}"
    return report


@pytest.fixture(scope="session")
def oracle():
    """Reference numbers from Pinocchio, shared with the Rust tests."""
    return {name: json.loads((ROOT / "fixtures/oracle" / f"{name}.json").read_text()) for name in NAMES + ["closed"]}


@pytest.fixture(scope="session")
def program():
    """The command-line program, the newest build."""
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    found = [p for p in [target / "release/anthropi", target / "debug/anthropi"] if p.exists()]
    if not found:
        pytest.skip("the program is not built: cargo build --release --workspace --bin anthropi")
    return max(found, key=lambda p: p.stat().st_mtime)


@pytest.fixture(scope="session")
def mocap():
    """Motion captures in the shared data folder."""
    places = [os.environ.get("ANTHROPI_DATA", ""), ROOT / "../shared/data"]
    found = [pathlib.Path(p) / "bvh" for p in places if p and (pathlib.Path(p) / "bvh").is_dir()]
    if not found:
        pytest.skip(NO_RECORDINGS)
    return found[0]


def vector(figure, by_joint):
    """All degrees of freedom from one entry a joint."""
    out = np.zeros(figure.nv)
    for joint in figure.joints:
        _, (start, end) = figure.places(joint)
        if end > start:
            out[start:end] = by_joint[joint]
    return out


def state_of(figure, entry):
    """A state from one entry a joint."""
    state = figure.state()
    for joint in figure.joints:
        _, (start, end) = figure.places(joint)
        if end > start:
            state.set_q_of(figure, joint, entry["q"][joint])
            state.set_v_of(figure, joint, entry["v"][joint])
    return state


class Peer:
    """The same figure in Pinocchio, by the script that made the oracle's numbers."""

    def __init__(self, name):
        pin = pytest.importorskip("pinocchio")
        sys.path.insert(0, str(ROOT / "oracle"))
        import figures

        self.pin = pin
        self.figure = figures.Figure((ROOT / "crates/app/figures" / f"{name}.toml").read_text())
        self.model = self.figure.model
        self.data = self.model.createData()
        self.order = self.figure.v_order()

    def q(self, figure, q):
        """Our coordinates in Pinocchio's order: quaternions have w last there."""
        out = self.pin.neutral(self.model)
        for name, kind, i in self.figure.joints:
            (start, end), _ = figure.places(name)
            own, at = list(q[start:end]), self.model.joints[i].idx_q
            if kind in ("free", "spherical"):
                *p, w, x, y, z = own
                own = [*p, x, y, z, w]
            out[at : at + len(own)] = own
        return out

    def v(self, v):
        """Our velocities, accelerations or forces in Pinocchio's order."""
        out = np.empty(self.model.nv)
        out[self.order] = v
        return out


def random_states(figure, n, seed=1):
    """q, v and accelerations, a row a state."""
    rng = np.random.default_rng(seed)
    q = np.array([figure.integrate(figure.home, rng.uniform(-1, 1, figure.nv)) for _ in range(n)])
    return q, rng.uniform(-3, 3, (n, figure.nv)), rng.uniform(-9, 9, (n, figure.nv))
