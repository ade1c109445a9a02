"""The Python package in a loop: figures, batches of states, structure, simulations, clips, certificates, the filter, walks,
pickling, invalid arguments. Results are finite and reproducible; memory stays flat (checked by the supervisor)."""

import gc
import math
import os
import pickle
import tempfile

from part import Part

FIGURES = ["human-16", "human-28", "human-40", "anthropi-42"]


def main():
    with Part("the Python package in a loop") as part:
        import anthropi
        import numpy as np

        loop = Loop(part, anthropi, np)
        acts = [a for a in dir(loop) if a.startswith("do_")]
        while part.left() > 0:
            act = part.rng.choices(acts, [loop.weight(a) for a in acts])[0]
            try:
                getattr(loop, act)()
            except (anthropi.AnthropiError, TypeError, ValueError, OverflowError, ArithmeticError) as error:
                part.fault(f"{act}: {type(error).__name__}: {error}")
            except BaseException as error:
                part.fault(f"{act}: internal error: {type(error).__name__}: {error}")
                raise
            part.count(act.removeprefix("do_"))
        gc.collect()
        part.note("Python objects", len(gc.get_objects()))


class Loop:
    def __init__(self, part, anthropi, np):
        self.part, self.rng, self.a, self.np = part, part.rng, anthropi, np
        self.random = np.random.default_rng(part.args.seed)
        kick = anthropi.Clip.load("keyed-kick").cut(0.2, 1.0)
        # loaded once; everything else is created again
        self.text = kick.to_json()

    def weight(self, act):
        """Long actions less often."""
        return {"do_filter": 0.3, "do_walk": 0.1, "do_scene": 1}.get(act, 4)

    def fine(self, what, *arrays):
        for x in arrays:
            if not self.np.isfinite(x).all():
                self.part.fault(f"{what}: non-finite numbers")

    def clip(self):
        return self.a.Clip.from_json(self.text)

    def states(self, figure, n):
        q = self.np.tile(figure.home, (n, 1))
        v = self.random.normal(size=(n, figure.nv))
        for i in range(n):
            q[i] = figure.integrate(q[i], self.random.normal(size=figure.nv), 0.3)
        return q, v

    def do_figure(self):
        figure = self.a.Figure(self.rng.choice(FIGURES))
        again = pickle.loads(pickle.dumps(figure))
        other = self.a.Figure.from_toml(figure.to_toml()).scaled(height=self.rng.uniform(1.4, 2.0))
        if again.links != figure.links or other.nv != figure.nv:
            self.part.fault("a figure changes in a round trip")
        figure.to_svg()

    def do_dynamics(self):
        figure = self.a.Figure(self.rng.choice(FIGURES)).rigid()
        q, v = self.states(figure, 8)
        for i in range(8):
            a = self.random.normal(size=figure.nv)
            tau = figure.inverse_dynamics(q[i], v[i], a)
            back = figure.forward_dynamics(q[i], v[i], tau)
            if abs(back - a).max() > 1e-7 * (1 + abs(a).max()):
                self.part.fault(f"forward dynamics does not undo inverse dynamics: {abs(back - a).max():e}")
            self.fine("dynamics", figure.jacobian(q[i], self.rng.choice(figure.links)), figure.momentum(q[i], v[i]),
                      figure.link_poses(q[i]), figure.momentum_matrix(q[i]))

    def do_batch(self):
        figure = self.a.Figure(self.rng.choice(FIGURES))
        n = self.rng.choice([1, 3, 64, 1000])
        q, v = self.states(figure, min(n, 16))
        q, v = self.np.resize(q, (n, figure.nq)), self.np.resize(v, (n, figure.nv))
        tau = figure.inverse_dynamics(q, v, v, threads=self.rng.choice([1, 2, None]))
        i = self.rng.randrange(n)
        if (tau[i] != figure.inverse_dynamics(q[i], v[i], v[i])).any():
            self.part.fault("a batch row differs from a single call")
        self.fine("batch", tau, figure.mass_matrix(q[:16]), figure.forward_dynamics(q, v, tau))

    def do_structure(self):
        figure = self.a.Figure(self.rng.choice(FIGURES))
        state = figure.state()
        for i in range(6):
            verb = self.rng.choice(["connect", "lock", "unlock", "reroot", "cut"])
            link, joint = self.rng.choice(figure.links), self.rng.choice(figure.joints)
            try:
                if verb == "connect":
                    figure.connect(state, link, self.rng.choice([None, *figure.links]), name=f"grip{i}",
                                   kind=self.rng.choice(["spherical", "fixed"]))
                elif verb == "reroot":
                    figure.reroot(state, link)
                elif verb == "cut":
                    figure.cut(state, self.rng.choice([joint, *figure.connections]))
                else:
                    getattr(figure, verb)(state, joint, self.rng.randrange(3))
            except (self.a.AnthropiError, ValueError):
                self.part.count("rejected as expected")
        if figure.connections:
            figure.closure(state)
            self.fine("connections", *figure.connection_forces(state, self.np.zeros(figure.nv)).values())

    def do_simulation(self):
        figure = self.a.Figure(self.rng.choice(FIGURES))
        sim = self.a.Simulation(figure, ground=self.rng.choice([None, 0.0]))
        record = sim.run(0.05, every=self.rng.choice([1, 7]))
        sim.connect(self.rng.choice(figure.links), name="grip")
        sim.push(self.rng.choice(figure.links), [0, 0, 50], between=(0.05, 0.08))
        sim.run(0.03, control=lambda t, s: -0.02 * s.v)
        sim.cut("grip")
        for _ in range(5):
            sim.step()
        if not sim.closure_error[0] < 1e-8:
            self.part.fault(f"closure error {sim.closure_error}")
        self.fine("simulation", record.q, record.v, record.energy, sim.state.q, sim.state.v, list(sim.energy.values())
                  if isinstance(sim.energy, dict) else list(sim.energy))
        record.to_clip()

    def do_scene(self):
        name = self.rng.choice(["pendulum", "four-bar", "drop-box", "high-bar", "swing-break", "stand-28"])
        runs = []
        for _ in range(2):
            sim = self.a.Simulation.scene(name)
            sim.run(0.2, every=20)
            runs.append(sim.digest)
        if runs[0] != runs[1]:
            self.part.fault(f"{name} is not reproducible")

    def do_clip(self):
        clip = self.clip()
        verb = self.rng.choice(["mirrored", "reversed", "at_speed", "resampled", "repeat", "turned", "blend", "join", "moved", "scaled", "retarget"])
        made = {
            "mirrored": lambda: clip.mirrored(), "reversed": lambda: clip.reversed(), "at_speed": lambda: clip.at_speed(1.3),
            "resampled": lambda: clip.resampled(45), "repeat": lambda: clip.repeat(2, fade=0.1),
            "turned": lambda: clip.turned(0.5, clip.times[0] + 0.1, clip.times[0] + 0.6), "blend": lambda: clip.blend(self.clip(), lambda t: 0.5),
            "join": lambda: clip.join(self.clip(), fade=0.1), "moved": lambda: clip.moved([1, 0, 0], yaw=0.3),
            "scaled": lambda: clip.scaled(height=1.6), "retarget": lambda: clip.retarget("anthropi-42"),
        }[verb]()
        again = pickle.loads(pickle.dumps(made))
        if (again.q != made.q).any():
            self.part.fault(f"a clip ({verb}) changes in a round trip")
        self.fine(verb, made.q, *made.derivatives())
        with tempfile.TemporaryDirectory(dir=self.part.args.work) as folder:
            path = os.path.join(folder, "clip" + self.rng.choice([".bvh", ".json", ".csv", ".glb"]))
            made.save(path)
            if path.endswith((".bvh", ".json")):
                self.a.Clip.load(path)

    def do_certify(self):
        certificate = self.a.certify(self.clip(), friction=self.rng.choice([None, 0.5]))
        self.fine("certificate", certificate.tau, certificate.ground_force, certificate.residual)
        certificate.to_html(), certificate.to_dict()

    def do_filter(self):
        clip = self.clip()
        filtered = self.a.filter(clip.cut(clip.times[0], clip.times[0] + 0.4), mode=self.rng.choice(["online", "offline"]))
        self.fine("filter", filtered.clip.q, filtered.ground_force)

    def do_online(self):
        clip = self.clip()
        online = self.a.OnlineFilter(clip.figure, clip.dt)
        for frame in clip.q[: self.rng.randrange(1, 25)]:
            pose = online.miss() if self.rng.random() < 0.1 else online.push(frame)
            if pose is not None:
                self.fine("on-line filter", pose)

    def do_walk(self):
        walk = self.a.walk(speed=self.rng.uniform(0.8, 1.5), steps=1)
        self.fine("walk", walk.clip.q, walk.ground_forces)

    def do_wrong(self):
        """Invalid arguments are rejected."""
        a, figure = self.a, self.a.Figure("human-28")
        x = self.rng.choice([math.nan, math.inf, -1.0, 1e300])
        wrong = [lambda: a.Figure("human-29"), lambda: figure.inverse_dynamics([0.0], [0.0], [0.0]), lambda: a.Clip.load("nowhere.bvh"),
                 lambda: a.Simulation(figure, dt=-abs(x)).step(), lambda: figure.connect(figure.state(), "head", name="g", at=[math.nan, 0, 0]),
                 lambda: self.clip().cut(2, 1), lambda: a.certify(self.clip(), cutoff=-1.0), lambda: pickle.loads(b"nothing")]
        try:
            self.rng.choice(wrong)()
        except (a.AnthropiError, TypeError, ValueError, OverflowError, ArithmeticError, OSError, pickle.UnpicklingError):
            self.part.count("rejected as expected")
        else:
            self.part.fault("an invalid argument was accepted")


if __name__ == "__main__":
    main()
