"""Checks links to pages, headings and pictures, paths in the repository, and the table of contents."""

import re
from pathlib import Path

from page import Page, slug

FOLDERS = ("crates/", "docs/", "bench/", "oracle/", "fixtures/", "fuzz/", "web/")
LANGUAGES = {"sh", "console", "toml", "json", "csv", "text", "rust", "python", "html"}


def complaints(pages: dict[Path, Page], root: Path) -> list[str]:
    found = []
    anchors = {path: anchors_of(page) for path, page in pages.items()}
    for path, page in pages.items():
        for line, is_picture, target in page.links():
            if wrong := broken(path, target, is_picture, anchors, root):
                found.append(f"{page.name}:{line}: {wrong}")
        for line, span in page.spans():
            if span.startswith(FOLDERS) and re.fullmatch(r"[\w./-]+", span) and not (root / span).exists():
                found.append(f"{page.name}:{line}: `{span}` does not exist")
        for item in page.items:
            if item.kind == "block" and item.language.split(",")[0] not in LANGUAGES:
                found.append(f"{page.name}:{item.line}: no test for blocks of `{item.language}`")
        found += [f"{page.name}:{n}: rustdoc takes indented code for Rust: use a fence"
                  for n, text in indented(page)]
        found += uncited(page, pages[root / "docs/references.md"])
    return found + unlisted(pages, root)


def anchors_of(page: Page) -> set[str]:
    """Anchors of a page's headings, numbered if repeated, as on GitHub."""
    found: set[str] = set()
    for heading in page.headings:
        name, count = slug(heading), 0
        while (anchor := name if not count else f"{name}-{count}") in found:
            count += 1
        found.add(anchor)
    return found


def broken(path: Path, target: str, is_picture: bool, anchors: dict[Path, set[str]], root: Path) -> str | None:
    if re.match(r"https?://|mailto:", target):
        return None
    file, _, anchor = target.partition("#")
    there = (path.parent / file).resolve() if file else path
    if not there.exists():
        return f"`{target}` does not exist"
    if not there.is_relative_to(root):
        return f"`{target}` is outside the repository"
    if is_picture and there.suffix not in (".svg", ".png"):
        return f"`{target}` is not a picture"
    if anchor and anchor not in anchors.get(there, set()):
        return f"`{file or path.name}` has no heading `{anchor}`"
    return None


def indented(page: Page):
    """Indented code: after an empty line, not within a list."""
    before, in_list = "", False
    for number, line in page.prose:
        in_list = bool(re.match(r"\s*([-*]|\d+\.) ", line)) or (in_list and (not line or line.startswith(" ")))
        if line.startswith("    ") and not before.strip() and not in_list:
            yield number, line
        before = line


def uncited(page: Page, references: Page) -> list[str]:
    """Citation keys such as [NY2000 eq. 16] without an entry in the references."""
    keys = {(line, m[1]) for line, text in page.prose for m in re.finditer(r"\[(d?[A-Z]{1,4}\d{4}[A-Z]?)\b", text)}
    return [f"{page.name}:{line}: [{key}] is not in docs/references.md" for line, key in sorted(keys)
            if f"| {key} |" not in references.text]


def unlisted(pages: dict[Path, Page], root: Path) -> list[str]:
    """Pages that are not in SUMMARY.md exactly once, and unused pictures."""
    docs = root / "docs"
    listed = [(docs / target).resolve() for _, _, target in pages[docs / "SUMMARY.md"].links()]
    found = [f"docs/SUMMARY.md: {p.name} is listed {listed.count(p)} times" for p in pages
             if p.parent == docs and p.name != "SUMMARY.md" and listed.count(p) != 1]
    shown = {(path.parent / target).resolve() for path, page in pages.items() for _, is_picture, target in page.links() if is_picture}
    unused = [p for p in sorted(docs.iterdir()) if p.suffix in (".svg", ".png") and p not in shown]
    return found + [f"docs/{p.name}: no page shows this picture" for p in unused]
