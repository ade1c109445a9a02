"""`anthropi batch` over many clips, with broken ones among them, killed in the middle again and again, and resumed: the tables
must be those of a run that nobody disturbed."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from part import PANIC, Part

ENDINGS = {".bvh", ".amc", ".asf", ".c3d", ".trc", ".mot", ".sto", ".npz", ".json"}
TABLES = ["results.csv", "results.parquet"]
# certifying takes about this many bytes of text a second and core; what does not fit into a quarter of the time is left out
BYTES_A_SECOND = 400_000
# one clip is filtered for so many seconds of the part: it takes some seconds, and is done several times
FILTER_SECONDS = 120


def main():
    def more(parser):
        parser.add_argument("--program", required=True)
        parser.add_argument("--data", help="a folder with clips; without it clips are made")

    with Part("batch, killed and resumed", more) as part:
        work = Path(part.args.work)
        clips = work / "clips"
        gather(part, clips)
        spoil(part, clips)
        few = int(part.args.seconds / FILTER_SECONDS)
        rounds(part, work, clips, "certify", part.args.seconds / 2 if few else 0)
        if few:
            some = work / "few"
            some.mkdir()
            small = sorted((f for f in clips.rglob("*.bvh") if f.is_file()), key=lambda f: f.stat().st_size)
            for f in [f for f in small if f.parent.name != "bad"][: min(few, 6)]:
                shutil.copy(f, some / f.name)
            rounds(part, work, some, "filter", 0)


def run(part, *args, **kwargs):
    """One run to its end: exit code and what it said."""
    done = subprocess.run([part.args.program, *map(str, args)], capture_output=True, text=True, errors="replace", **kwargs)
    look(part, args, done.returncode, done.stdout + done.stderr)
    return done


def look(part, args, code, said):
    if code not in (0, 1, 2):
        part.fault(f"batch ended with {code}: {' '.join(map(str, args))}: {said[-300:]}")
    if PANIC.search(said):
        part.fault(f"batch panicked: {' '.join(map(str, args))}: {said[-500:]}")


def gather(part, clips):
    """All clips there are, or made ones; as many as fit into the time."""
    budget = BYTES_A_SECOND * part.args.seconds / 4
    if part.args.data:
        data = Path(part.args.data)
        files = sorted(f for f in data.rglob("*") if f.suffix.lower() in ENDINGS and f.is_file())
        part.rng.shuffle(files)
        taken = 0
        for f in files:
            if taken + f.stat().st_size > budget and taken > 0:
                part.count("clips left out for want of time")
                continue
            taken += f.stat().st_size
            to = clips / f.relative_to(data)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(f, to)
            # a motion of Acclaim needs its skeleton
            for asf in f.parent.glob("*.asf") if f.suffix.lower() == ".amc" else []:
                shutil.copy(asf, to.parent / asf.name)
            part.count("clips")
        return
    clips.mkdir(parents=True)
    motions = ["keyed-walk", "keyed-kick", "keyed-run", "keyed-jump", "keyed-sit-stand"]
    for i in range(max(5, min(40, int(part.args.seconds / 4)))):
        speed, turn = part.rng.uniform(0.7, 1.4), part.rng.uniform(-40, 40)
        ending = part.rng.choice([".bvh", ".json", ".bvh"])
        done = run(part, "convert", motions[i % 5], clips / f"clip{i}{ending}", "--speed", f"{speed:.3f}", "--turn", f"{turn:.1f},0.3,1.0")
        part.count("clips", int(done.returncode == 0))


def spoil(part, clips):
    """Broken and hostile files among the good ones."""
    good = sorted(f for f in clips.rglob("*") if f.is_file())
    rng = part.rng
    bad = clips / "bad"
    bad.mkdir()
    for i in range(max(6, min(40, len(good) // 2))):
        source = rng.choice(good)
        data = bytearray(source.read_bytes())
        kind = rng.randrange(7)
        if kind == 0:  # cut off
            data = data[: rng.randrange(len(data))]
        elif kind == 1:  # bytes turned
            for _ in range(rng.randrange(1, 50)):
                data[rng.randrange(len(data))] = rng.randrange(256)
        elif kind == 2:  # numbers that are none
            data = data.replace(b"0.", rng.choice([b"nan ", b"1e308", b"-inf ", b"0..", b"1e-400 "]), rng.randrange(1, 20))
        elif kind == 3:  # a middle that is missing
            at = rng.randrange(len(data))
            del data[at: at + rng.randrange(1, 5000)]
        elif kind == 4:  # lies about its length
            data = data.replace(b"Frames:", b"Frames: 99999999999999999999 ", 1)
        elif kind == 5:  # anything
            data = bytearray(rng.randbytes(rng.randrange(1, 20000)))
        else:
            data = bytearray()
        (bad / f"bad{i}{source.suffix}").write_bytes(data)
        part.count("spoilt clips")
    (bad / "folder.bvh").mkdir()
    (bad / "nowhere.bvh").symlink_to("not-there.bvh")
    (bad / "round.bvh").symlink_to("round.bvh")
    os.mkfifo(bad / "pipe.bvh")
    with open(os.fsencode(bad) + b"/na\xff\xfeme.bvh", "wb") as f:
        f.write(b"HIERARCHY\n")
    (bad / "deep.json").write_text("[" * 200_000)
    (bad / "many.bvh").write_text("HIERARCHY\nROOT a\n{\n" + "JOINT b\n{\n" * 20_000)


def tables(folder):
    return {name: (folder / name).read_bytes() if (folder / name).is_file() else None for name in TABLES}


def rounds(part, work, clips, job, rest):
    """An undisturbed run, then disturbed ones until no more than `rest` seconds are left."""
    calm = work / f"calm-{job}"
    began = time.monotonic()
    done = run(part, "batch", clips, "--out", calm, "--job", job, "--jobs", 2, timeout=max(60, 2 * part.left()))
    seconds = time.monotonic() - began
    part.note(f"{job}, undisturbed, s", round(seconds, 2))
    want = tables(calm)
    if None in want.values():
        part.fault(f"an undisturbed {job} left no tables: {done.stderr[-300:]}")
        return
    n = 0
    while n == 0 or part.left() > rest + 2 * seconds:
        n += 1
        out = work / f"{job}-{n}"
        disturb(part, clips, job, out, seconds)
        got = tables(out)
        for name in TABLES:
            if got[name] != want[name]:
                part.fault(f"{name} of a {job} that was killed differs from that of one that was not (kept in {out})")
                return
        hidden = [str(f.relative_to(out)) for f in out.rglob(".*")]
        if hidden:
            part.fault(f"a {job} that was killed and resumed leaves {', '.join(hidden[:5])}")
            return
        part.count(f"{job}: rounds with the same tables")
        shutil.rmtree(out)


def disturb(part, clips, job, out, seconds):
    """Begun, killed, resumed, until it ends by itself."""
    args = [part.args.program, "batch", str(clips), "--out", str(out), "--job", job, "--resume"]
    kills = part.rng.randrange(2, 6)
    while True:
        jobs = part.rng.choice(["1", "2"])
        log = open(str(out) + ".log", "w+", errors="replace")
        process = subprocess.Popen([*args, "--jobs", jobs], stdout=log, stderr=log)
        patience = part.rng.uniform(0.02, 0.5) * seconds if kills > 0 else max(60, 20 * seconds)
        try:
            code = process.wait(patience)
        except subprocess.TimeoutExpired:
            if kills == 0:
                part.fault(f"{job} does not end within {patience:.0f} s where an undisturbed one takes {seconds:.0f} s")
            elif kills == 1:
                # somebody else at the same folder, while this one is at work
                other = run(part, *args[1:], "--jobs", "1", timeout=120)
                if other.returncode != 2 and process.poll() is None:
                    part.fault(f"a second {job} at the same folder ended with {other.returncode}")
            process.send_signal(signal.SIGKILL)
            code = process.wait()
            kills = max(0, kills - 1)
            part.count(f"{job}: kills")
        log.seek(0)
        said = log.read()
        log.close()
        if code == -signal.SIGKILL:
            if PANIC.search(said):
                part.fault(f"{job} panicked: {said[-500:]}")
            if kills == 0 and not part.faults:
                continue
            if part.faults:
                return
            continue
        look(part, args, code, said)
        return


if __name__ == "__main__":
    main()
