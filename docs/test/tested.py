"""Checks that every Rust block on a page is a doc test."""

from pathlib import Path

from page import Page


def complaints(pages: dict[Path, Page], root: Path) -> list[str]:
    """Rust blocks are doc tests of crates/app; Python blocks run in crates/py/tests/test_examples.py."""
    tested = (root / "crates/app/src/lib.rs").read_text()
    found = []
    for page in pages.values():
        blocks = [i for i in page.items if i.kind == "block" and i.language.split(",")[0] == "rust"]
        if blocks and f'include_str!("../../../{page.name}")' not in tested:
            found.append(f"{page.name}:{blocks[0].line}: this Rust block is not a doc test: crates/app/src/lib.rs does not include the page")
        found += [f"{page.name}:{i.line}: a Rust block that is not run" for i in blocks if i.language != "rust"]
        if not blocks and f'include_str!("../../../{page.name}")' in tested:
            found.append(f"crates/app/src/lib.rs includes {page.name}, which has no Rust block")
    return found
