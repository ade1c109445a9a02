"""Compares the output of a command with that on its page. The engine gives the same bits on every machine, so numbers are
compared as printed; only times, ports and rounding errors (numbers below 1e-9) may differ.

On a page, a line `...` stands for any number of lines, and ` ...` at the end of a line for the rest of it.
"""

import re

MACHINE = [
    r"[\d.]+ times real time",
    r"[\d.]+ ms per frame \(median\), [\d.]+ ms \(99 %\)",
    r"in [\d.]+ s, [\d.]+ us each \(p99 [\d.]+\)",
    r"\d+ clips in [\d.]+ s",
    r"residual at the root: [\de.+-]+ N, [\de.+-]+ N m",
    r"http://127\.0\.0\.1:\d+",
]
ROUNDING = re.compile(r"\d[\d.]*e-(?:\d{2,})|0\.0e0")
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
REST = "..."


def steady(line: str) -> str:
    """Masks the parts of a line that depend on the machine.

    >>> steady("  speed   2.6 times real time; 0.26 ms per frame (median), 7.09 ms (99 %); delay 0 frames ")
    '  speed   N times real time; N ms per frame (median), N ms (N %); delay 0 frames'
    >>> steady("closed to 3.4e-15 m") == steady("closed to 1.9e-16 m") != steady("closed to 2e-9 m")
    True
    """
    for pattern in MACHINE:
        line = re.sub(pattern, lambda m: NUMBER.sub("N", m[0].replace("127.0.0.1", "HOST")), line)
    return ROUNDING.sub("TINY", line).rstrip()


def shape(line: str) -> str:
    """Masks numbers and spaces.

    >>> shape(" mass   62.3 kg ") == shape("mass 7e-1 kg")
    True
    """
    return " ".join(NUMBER.sub("N", line).split())


def same(shown: str, came: str, key=steady) -> bool:
    if shown.endswith(" " + REST):
        return key(came).startswith(key(shown[: -len(REST)]))
    return key(shown) == key(came)


def compare(shown: list[str], came: list[str]) -> str | None:
    """Describes the first difference.

    >>> compare(["a", "...", "d 1 ..."], ["a", "b", "c", "d 1 x"])
    >>> compare(["a", "c"], ["a", "b", "c"])
    'page: `c`, output: `b`'
    >>> compare(["a"], ["a", "b"])
    'page ends, output: `b`'
    >>> compare(["...", "2 kg"], ["3 kg"])
    'page: `2 kg`, not in the output'
    """
    at, skipping = 0, False
    for line in shown:
        if line.strip() == REST:
            skipping = True
            continue
        if skipping:
            found = next((i for i in range(at, len(came)) if same(line, came[i])), None)
            if found is None:
                return f"page: `{line}`, not in the output"
            at = found
        elif at >= len(came):
            return f"page: `{line}`, output ends"
        elif not same(line, came[at]):
            return f"page: `{line}`, output: `{came[at]}`"
        at, skipping = at + 1, False
    if not skipping and at < len(came):
        return f"page ends, output: `{came[at]}`"
    return None


def renew(shown: list[str], came: list[str]) -> list[str] | None:
    """The shown lines with the new numbers; none if words differ.

    >>> renew(["a 1", "...", "d 1 ..."], ["a 2", "b", "d 3 x"])
    ['a 2', '...', 'd 3 ...']
    >>> renew(["...", "other"], ["a"])
    """
    if not any(REST == line.strip() or line.endswith(" " + REST) for line in shown):
        return came
    made, at = [], 0
    for line in shown:
        if line.strip() == REST:
            made.append(line)
            continue
        found = next((i for i in range(at, len(came)) if same(line, came[i], shape)), None)
        if found is None:
            return None
        words = len(line.split()) - 1
        cut = line.endswith(" " + REST)
        made.append(re.match(rf"\s*(?:\S+\s+){{{words}}}", came[found])[0].rstrip() + " " + REST if cut else came[found].rstrip())
        at = found + 1
    return made


def alike(drawn: str, kept: str, pixels: float = 0.5) -> bool:
    """Whether two pictures have the same elements, within half a pixel.

    >>> alike('<line x1="10.0" y1="3"/>', '<line x1="10.2" y1="3"/>'), alike('<line x1="10"/>', '<line x1="11"/>')
    (True, False)
    """
    if NUMBER.sub("N", drawn) != NUMBER.sub("N", kept):
        return False
    return all(abs(float(a) - float(b)) <= pixels for a, b in zip(NUMBER.findall(drawn), NUMBER.findall(kept)))
