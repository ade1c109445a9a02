"""Tests the book: runs every command on its pages and compares the output, checks links and spelling.

usage: main.py [--write] [--times] [PAGE ...]

--write   update shown output (where only numbers differ) and pictures
--times   print the slowest commands
"""

import doctest
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import links
import output
import page
import play
import shell
import spelling
import tested

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
BINARY = Path(os.environ.get("ANTHROPI", TARGET / "release/anthropi")).resolve()


def main(words: list[str]) -> int:
    writing, times = "--write" in words, "--times" in words
    names = [w for w in words if not w.startswith("--")]
    # doctests show that the comparisons can fail
    slips = sum(doctest.testmod(module).failed for module in (page, output, shell))
    paths = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    pages = {path: page.read(path, ROOT) for path in paths}
    chosen = [p for p in pages.values() if not names or p.name in names or p.path.name in names]
    if not BINARY.exists():
        print(f"docs: {BINARY} does not exist: cargo build --release -p anthropi", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="anthropi-docs-") as folder:
        played = play_all(chosen, Path(folder), writing)
    complaints = [c for p in played for c in p.complaints] + links.complaints(pages, ROOT) + tested.complaints(pages, ROOT)
    misspelt, note = spelling.complaints([*paths, ROOT / "ARCHITECTURE.md", ROOT / "CHANGELOG.md"], TARGET)
    for p in played if writing else []:
        if p.changes:
            p.page.path.write_text(play.rewritten(p))
    summarise(played, times, [note] if note else [])
    for complaint in complaints + misspelt:
        print(complaint, file=sys.stderr)
    return 1 if complaints or misspelt or slips else 0


def play_all(chosen: list[page.Page], folder: Path, writing: bool) -> list[play.Played]:
    def one(p: page.Page) -> play.Played:
        room = folder / p.name.replace("/", "-").removesuffix(".md")
        room.mkdir()
        return play.play(p, room, BINARY, ROOT / "docs", writing)

    # longest first, for an even load
    order = sorted(chosen, key=lambda p: -sum("anthropi" in i.text for i in p.items))
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as crew:
        return list(crew.map(one, order))


def summarise(played: list[play.Played], times: bool, notes: list[str]) -> None:
    ran, compared = sum(p.ran for p in played), sum(p.compared for p in played)
    print(f"docs: {len(played)} pages, {ran} commands, {compared} outputs and {sum(p.pictures for p in played)} pictures compared")
    for note in notes + [n for p in played for n in p.notes]:
        print(f"docs: {note}")
    if times:
        slowest = sorted((t for p in played for t in p.times), reverse=True)[:25]
        print("\n".join(f"{seconds:7.2f} s  {text}" for seconds, text in slowest))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
