"""Runs a page in its own folder: set-up, files, commands, output and pictures."""

import re
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import output
import shell
from page import Item, Page

DATA = {"toml", "json", "csv"}


@dataclass
class Played:
    """Result of a page."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    ran: int = 0
    compared: int = 0
    pictures: int = 0
    times: list[tuple[float, str]] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)  # missing recordings
    changes: list[tuple[int, list[str], list[str]]] = field(default_factory=list)  # line, old, new


def play(page: Page, folder: Path, binary: Path, pictures: Path, writing: bool) -> Played:
    """Runs the page in order. With `writing`, updates pictures and collects changes of shown output."""
    played = Played(page)
    wanted: str | None = None  # file name of the next block
    for item in page.items:
        try:
            if item.kind == "block":
                block(item, wanted, folder, binary, played, writing)
                wanted = None
            elif item.kind == "file":
                wanted = item.text
            elif item.kind == "run":
                one(shell.commands(item.text, item.line - 1, False)[0], folder, binary, played)
            elif item.kind == "data":
                data(item, folder, played)
            else:
                picture(item, folder, pictures, played, writing)
        except (ValueError, OSError, subprocess.TimeoutExpired) as error:
            played.complaints.append(f"{page.name}:{item.line}: {error}")
    return played


def block(item: Item, wanted: str | None, folder: Path, binary: Path, played: Played, writing: bool) -> None:
    if wanted:
        name, _, base = wanted.partition(" after ")
        text = (folder / base).read_text() + "\n" + item.text if base else item.text
        if item.language == "toml" and name not in item.text.split("\n")[0]:
            raise ValueError(f"the first line must name {name} in a comment")
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    elif item.language in DATA:
        raise ValueError(f"a {item.language} block without a file name: add <!-- file: NAME --> before it")
    if item.language in ("sh", "console"):
        for command in shell.commands(item.text, item.line, item.language == "console"):
            if shell.is_ours(command.text):
                one(command, folder, binary, played, writing)
            elif command.shown:
                raise ValueError(f"the page shows output of `{command.text}`, which the tests do not run")


def one(command: shell.Command, folder: Path, binary: Path, played: Played, writing: bool = False) -> None:
    """Runs a command; checks its exit code, and its output if the page shows it."""
    where = f"{played.page.name}:{command.line}: `{command.text}`"
    if lacking := [name for name in played.absent if name in command.text]:
        played.notes.append(f"{where} skipped: {lacking[0]} is missing")
        return
    if command.text.startswith(shell.RECORD) and not shell.mujoco().exists():
        played.notes.append(f"{where} skipped: run oracle/run.sh first")
        return
    start = time.monotonic()
    code, text = shell.run(command, folder, binary)
    played.times.append((time.monotonic() - start, command.text))
    if shell.lacks_page(text):
        played.notes.append(f"{where} skipped: the program was built without the studio page")
        return
    played.ran += 1
    if code != command.code:
        played.complaints.append(f"{where} exits with {code}, expected {command.code}\n{text.rstrip()}")
    if command.shown is None:
        return
    played.compared += 1
    came = text.rstrip("\n").split("\n")
    shown = list(command.shown)
    while shown and not shown[-1].strip():
        shown.pop()
    if difference := output.compare(shown, came):
        renewed = output.renew(shown, came)
        if writing and renewed is not None:
            played.notes.append(f"{where}: output updated")
            played.changes.append((command.line, shown, renewed))
        else:
            hint = "" if renewed is None else " (update with docs/test.sh --write)"
            played.complaints.append(f"{where}: {difference}{hint}")


def data(item: Item, folder: Path, played: Played) -> None:
    """Copies a recording for the next commands, if available."""
    source, _, name = item.text.partition(" as ")
    path = shell.ROOT.parent / "shared/data" / source
    if path.exists():
        shutil.copyfile(path, folder / name)
    else:
        played.absent.append(name)


def picture(item: Item, folder: Path, pictures: Path, played: Played, writing: bool) -> None:
    name, _, made = item.text.partition(" is ")
    if f"]({name})" not in played.page.text and f"/{name})" not in played.page.text:
        raise ValueError(f"{name} is not shown on the page")
    played.pictures += 1
    if writing:
        shutil.copyfile(folder / made, pictures / name)
    elif not output.alike((folder / made).read_text(), (pictures / name).read_text()):
        raise ValueError(f"{name} differs from the program's picture (update with docs/test.sh --write)")


def rewritten(played: Played) -> str:
    """The page with updated output."""
    lines = played.page.text.split("\n")
    for line, shown, instead in sorted(played.changes, reverse=True):
        start = line  # counted from 1: the line after the command
        if lines[start : start + len(shown)] != shown:
            raise ValueError(f"{played.page.name}:{line}: update commands over several lines by hand")
        lines[start : start + len(shown)] = [re.sub(r"\s+$", "", x) for x in instead]
    return "\n".join(lines)
