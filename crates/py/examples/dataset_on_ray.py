"""A data set of walks, certified on a local Ray of two workers; then once more, which repeats nothing.

Needs Ray (pip install 'anthropi[ray]'). ray="auto" or ray="ray://HOST:10001" is a cluster that sees the same files.
"""

import tempfile
from pathlib import Path

import anthropi


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    walk = anthropi.Clip.load("keyed-walk")
    for k in range(8):
        walk.at_speed(0.8 + 0.05 * k).save(folder / f"walk{k}.bvh")
    (folder / "broken.bvh").write_text("no motion at all")

    results = anthropi.dataset.certify(folder, folder / "results", ray="local", workers=2)
    for row in results.rows:
        print(f"{row['path']:>12}  {row['status']:<8} {row.get('verdict') or row['error']}")
    print(f"{len(results)} clips in {results.seconds:.1f} s -> {results.parquet}")
    assert len(results) == 9 and len(results.failures) == 1

    again = anthropi.dataset.certify(folder, folder / "results")
    print(f"once more: {again.done} done now, {again.skipped} done before")
    assert again.done == 0


if __name__ == "__main__":
    main()
