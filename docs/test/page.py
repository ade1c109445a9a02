"""A page of Markdown as the tests see it: fenced blocks, directives, headings, links.

Directives are comments of HTML, each on a line of its own, that readers do not see:

    <!-- run: anthropi walk --out walk.bvh -->       run this here, before what follows
    <!-- file: box.toml -->                          the next block is kept as this file
    <!-- file: box.toml after figure.toml -->        the same, behind what figure.toml holds
    <!-- picture: high-bar.svg is run/frames.svg --> this picture of the page is what the program just drew
    <!-- data: c3d/Eb015pr.c3d as trial.c3d -->      a recording that is not ours to give away, from ../shared/data;
                                                     where it is not, commands that name it are passed over, and told
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
    """A block or a directive, in the order of the page."""

    kind: str  # run, file, picture, data, or block
    line: int  # of the page, from 1: of the directive, or of the opening fence
    text: str  # what the directive says, or what is in the block
    language: str = ""


@dataclass
class Page:
    """A page, read once."""

    path: Path
    name: str  # from the root, as people call it
    text: str
    items: list[Item] = field(default_factory=list)
    prose: list[tuple[int, str]] = field(default_factory=list)  # lines outside of blocks

    @property
    def headings(self) -> list[str]:
        return [m[1] for _, line in self.prose if (m := re.match(r"#+ (.+)", line))]

    def links(self):
        """(line, is it a picture, target) of all links outside of code."""
        # words of a link may go on in the next line
        text = "\n".join(SPAN.sub("", line) for _, line in self.prose)
        for match in LINK.finditer(text):
            number = self.prose[text.count("\n", 0, match.start())][0]
            yield number, bool(match[1]), match[3]
            for inner in LINK.finditer(match[2]):  # a picture that is a link
                yield number, bool(inner[1]), inner[3]

    def spans(self):
        """(line, text) of all code within lines."""
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
    """The anchor of a heading, as forges and mdBook make it.

    >>> slug("What we changed, and why: `eq. 29`")
    'what-we-changed-and-why-eq-29'
    """
    kept = re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", heading).lower())
    return kept.strip().replace(" ", "-")
