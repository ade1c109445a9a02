#!/usr/bin/env python3
"""Writes licences.txt: whose work is in the program, and under which terms.

    licences.py           writes it anew; after any change of Cargo.lock
    licences.py --check   whether every crate, those of tests included, keeps the rules of deny.toml

A crate under several licences is taken under the first of PREFERRED. Texts are printed once a licence, copyright lines once
a crate, as their authors wrote them.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PREFERRED = ["MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "Zlib", "0BSD", "CC0-1.0", "Unicode-3.0"]
# what a licence's text holds and no other's does
MARKS = {
    "MIT": "to any person obtaining a copy of this software and associated documentation files",
    "Apache-2.0": "END OF TERMS AND CONDITIONS",
    "BSD-3-Clause": "Neither the name",
    "Zlib": "This notice may not be removed or altered",
    "Unicode-3.0": "UNICODE LICENSE V3",
    "CC0-1.0": "Creative Commons Legal Code",
}
# the page of the studio has these, which cargo does not know; versions are in web/package.json
PAGE = [
    ("three", "MIT", "Copyright © 2010-2026 three.js authors", "https://threejs.org"),
    ("uplot", "MIT", "Copyright (c) 2022 Leon Sorokin", "https://github.com/leeoniya/uPlot"),
]


def metadata(*more):
    command = ["cargo", "metadata", "--locked", "--format-version", "1", *more]
    return json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def choices(expression):
    """The ways an SPDX expression may be met: a list of lists of licences."""
    expression = expression.replace(" / ", " OR ").replace("/", " OR ")
    ways = [[]]
    for part in re.split(r" AND (?![^(]*\))", expression):
        options = [o.strip() for o in part.strip("() ").split(" OR ")]
        ways = [way + [option] for way in ways for option in options]
    return ways


def taken(expression):
    rank = lambda licence: PREFERRED.index(licence) if licence in PREFERRED else len(PREFERRED)
    return min(choices(expression), key=lambda way: [rank(licence) for licence in way])


def linked(data):
    """Packages of others that the program is made of."""
    nodes = {n["id"]: n for n in data["resolve"]["nodes"]}
    packages = {p["id"]: p for p in data["packages"]}
    todo = [p["id"] for p in data["packages"] if p["name"] == "anthropi" and p["source"] is None]
    seen = set(todo)
    while todo:
        for dep in nodes[todo.pop()]["deps"]:
            if dep["pkg"] not in seen and any(k["kind"] != "dev" for k in dep["dep_kinds"]):
                seen.add(dep["pkg"])
                todo.append(dep["pkg"])
    return sorted((packages[i] for i in seen if packages[i]["source"]), key=lambda p: (p["name"], p["version"]))


def texts(package):
    folder = pathlib.Path(package["manifest_path"]).parent
    names = re.compile(r"(?i)(licen[sc]e|copying|notice|copyright|unlicense)")
    return [f.read_text(errors="replace") for f in sorted(folder.iterdir()) if f.is_file() and names.match(f.name)]


def copyrights(package):
    lines = re.findall(r"(?im)^\W*(copyright (?:\(c\)|©|\d{4}).*)$", "\n".join(texts(package)))
    own = dict.fromkeys(line.strip() for line in lines if not re.search(r"\[|yyyy|<year>", line))
    return list(own) or [f"by {', '.join(package['authors']) or 'the authors of ' + package['name']}"]


def text_of(licence, packages):
    def is_it(text):
        plain = " ".join(text.split())
        return [name for name, mark in MARKS.items() if mark in plain] == [licence]

    without_owner = lambda text: re.sub(r"(?im)^\W*copyright (\(c\)|©|\d{4}).*\n+", "", text).strip()
    found = collections.Counter(without_owner(text) for p in packages for text in texts(p) if is_it(text))
    return min(found, key=lambda text: (-found[text], text))


def write():
    packages = linked(metadata())
    wanted = json.loads((ROOT / "web/package.json").read_text())["dependencies"]
    lines = ["Anthropi is under MIT OR Apache-2.0. The program holds work of others, under these terms.", ""]
    for p in packages:
        terms = " AND ".join(taken(p["license"]))
        lines += [f"{p['name']} {p['version']}: {terms}", *(f"    {c}" for c in copyrights(p))]
    lines += ["", "The page of the studio also holds", ""]
    assert set(wanted) == {name for name, *_ in PAGE}, f"web/package.json has other dependencies than PAGE: {wanted}"
    for name, terms, copyright, home in PAGE:
        lines += [f"{name} {wanted[name]}: {terms}", f"    {copyright}, {home}"]
    for licence in sorted({licence for p in packages for licence in taken(p["license"])}):
        lines += ["", "", f"== {licence} ==", "", text_of(licence, packages)]
    (HERE / "licences.txt").write_text("\n".join(line.rstrip() for line in "\n".join(lines).splitlines()) + "\n")
    print(f"{len(packages)} crates")


def check():
    rules = tomllib.loads((ROOT / "deny.toml").read_text())
    host = re.search(r"host: (\S+)", subprocess.run(["rustc", "-vV"], capture_output=True, text=True).stdout)[1]
    data = metadata("--filter-platform", host)
    used = {n["id"] for n in data["resolve"]["nodes"]}
    packages = [p for p in data["packages"] if p["id"] in used]
    allowed, faults, versions = set(rules["licenses"]["allow"]), [], {}
    for p in packages:
        name = f"{p['name']} {p['version']}"
        versions.setdefault(p["name"], []).append(p["version"])
        if not any(set(way) <= allowed for way in choices(p["license"] or "no licence")):
            faults.append(f"{name} is under {p['license']}, which deny.toml does not allow")
        if p["source"] and not p["source"].startswith("registry+https://github.com/rust-lang/crates.io-index"):
            faults.append(f"{name} is from {p['source']}, expected crates.io")
        if p["source"] is None:
            star = [d["name"] for d in p["dependencies"] if d["req"] == "*" and d.get("path") is None]
            faults += [f"{name} asks for any version of {d}" for d in star]
    skipped = set(rules["bans"]["skip"])
    for name, all_versions in sorted(versions.items()):
        if len(all_versions) > 1 and name not in skipped:
            faults.append(f"{name} is there in versions {', '.join(all_versions)}; deny.toml does not skip it")
    print("\n".join(faults) or f"{len(packages)} crates keep deny.toml")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(check() if sys.argv[1:] == ["--check"] else write())
