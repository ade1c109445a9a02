"""Code in other languages runs in their own tests; here is checked that no block is forgotten there."""

from pathlib import Path

from page import Page


def complaints(pages: dict[Path, Page], root: Path) -> list[str]:
    """Rust blocks are doc tests of crates/io; Python blocks run in crates/py/tests/test_examples.py, which looks at all pages."""
    tested = (root / "crates/io/src/lib.rs").read_text()
    found = []
    for page in pages.values():
        blocks = [i for i in page.items if i.kind == "block" and i.language.split(",")[0] == "rust"]
        if blocks and f'include_str!("../../../{page.name}")' not in tested:
            found.append(f"{page.name}:{blocks[0].line}: this block of Rust is no doc test: crates/io/src/lib.rs does not include the page")
        found += [f"{page.name}:{i.line}: a block of Rust that is not run" for i in blocks if i.language != "rust"]
        if not blocks and f'include_str!("../../../{page.name}")' in tested:
            found.append(f"crates/io/src/lib.rs includes {page.name}, which has no block of Rust")
    return found
