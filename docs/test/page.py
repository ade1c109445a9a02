"""Parses a Markdown page: fenced blocks, directives, headings, links.

Directives are HTML comments, one per line:

    <!-- run: anthropi walk --out walk.bvh -->       run this command
    <!-- file: box.toml -->                          save the next block as this file
    <!-- file: box.toml after figure.toml -->        the same, appended to figure.toml
    <!-- picture: high-bar.svg is run/frames.svg --> compare this picture with the program's
    <!-- data: c3d/Eb015pr.c3d as trial.c3d -->      copy a recording that we may not redistribute from ../shared/data;
                                                     without it, commands that name it are skipped, with a note
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

DIRECTIVE = re.compile(r"^<!-- (run|file|picture|data): (.+?) -->$")
FENCE = re.compile(r"^(\s*)(```+)\s*([\w,+-]*)\s*$")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
SPAN = re.compile(r"`([^`\n]+)`")


@dataclass
class Item:
    """A block or a directive, in page order."""

    kind: str  # run, file, picture, data, or block
    line: int  # of the directive or the opening fence, from 1
    text: str  # of the directive or the block
    language: str = ""


@dataclass
class Page:
    """A parsed page."""

    path: Path
    name: str  # path from the root
    text: str
    items: list[Item] = field(default_factory=list)
    prose: list[tuple[int, str]] = field(default_factory=list)  # lines outside blocks

    @property
    def headings(self) -> list[str]:
        return [m[1] for _, line in self.prose if (m := re.match(r"#+ (.+)", line))]

    def links(self):
        """(line, is_picture, target) of all links outside code."""
        # link text may span lines
        text = "\n".join(SPAN.sub("", line) for _, line in self.prose)
        for match in LINK.finditer(text):
            number = self.prose[text.count("\n", 0, match.start())][0]
            yield number, bool(match[1]), match[3]
            for inner in LINK.finditer(match[2]):  # a picture that is a link
                yield number, bool(inner[1]), inner[3]

    def spans(self):
        """(line, text) of all inline code."""
        for number, line in self.prose:
            for match in SPAN.finditer(line):
                yield number, match[1]


def read(path: Path, root: Path) -> Page:
    page = Page(path, str(path.relative_to(root)), path.read_text())
    block: Item | None = None
    fence = ""
    for number, line in enumerate(page.text.split("\n"), 1):
        opened = FENCE.match(line)
        if block is not None:
            if opened and opened[2].startswith(fence) and not opened[3]:
                page.items.append(block)
                block = None
            else:
                block.text += line + "\n"
        elif opened:
            block, fence = Item("block", number, "", opened[3]), opened[2]
        elif directive := DIRECTIVE.match(line):
            page.items.append(Item(directive[1], number, directive[2]))
        else:
            page.prose.append((number, line))
    if block is not None:
        raise ValueError(f"{page.name}:{block.line}: the block does not end")
    return page


def slug(heading: str) -> str:
    """The anchor of a heading, as on GitHub and in mdBook.

    >>> slug("What we changed, and why: `eq. 29`")
    'what-we-changed-and-why-eq-29'
    """
    kept = re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", heading).lower())
    return kept.strip().replace(" ", "-")
