"""Whether a command printed what its page shows. The engine gives the same bits on every machine, so numbers are compared as
they are printed. Only times and ports may differ, and what is left by rounding: any number below 1e-9 is as good as another.

In what is shown, a line `...` stands for any number of lines, and ` ...` at the end of a line for the rest of it.
"""

import re

MACHINE = [
    r"[\d.]+ times real time",
    r"[\d.]+ ms a frame, 99 % below [\d.]+ ms",
    r"in [\d.]+ s, [\d.]+ us each \(p99 [\d.]+\)",
    r"\d+ clips in [\d.]+ s",
    r"left over at the root: [\de.+-]+ N, [\de.+-]+ N m",
    r"http://127\.0\.0\.1:\d+",
]
ROUNDING = re.compile(r"\d[\d.]*e-(?:\d{2,})|0\.0e0")
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
REST = "..."


def steady(line: str) -> str:
    """The line without what depends on the machine.

    >>> steady("  speed   2.6 times real time; 0.26 ms a frame, 99 % below 7.09 ms; delay 0 frames ")
    '  speed   N times real time; N ms a frame, N % below N ms; delay 0 frames'
    >>> steady("closed to 3.4e-15 m") == steady("closed to 1.9e-16 m") != steady("closed to 2e-9 m")
    True
    """
    for pattern in MACHINE:
        line = re.sub(pattern, lambda m: NUMBER.sub("N", m[0].replace("127.0.0.1", "HOST")), line)
    return ROUNDING.sub("TINY", line).rstrip()


def shape(line: str) -> str:
    """The words of a line: two lines of the same shape differ in numbers and spaces alone.

    >>> shape(" mass   62.3 kg ") == shape("mass 7e-1 kg")
    True
    """
    return " ".join(NUMBER.sub("N", line).split())


def same(shown: str, came: str, key=steady) -> bool:
    if shown.endswith(" " + REST):
        return key(came).startswith(key(shown[: -len(REST)]))
    return key(shown) == key(came)


def compare(shown: list[str], came: list[str]) -> str | None:
    """What differs, or nothing.

    >>> compare(["a", "...", "d 1 ..."], ["a", "b", "c", "d 1 x"])
    >>> compare(["a", "c"], ["a", "b", "c"])
    'shown `c`, came `b`'
    >>> compare(["a"], ["a", "b"])
    'shown nothing more, came `b`'
    >>> compare(["...", "2 kg"], ["3 kg"])
    'shown `2 kg`, which did not come'
    """
    at, skipping = 0, False
    for line in shown:
        if line.strip() == REST:
            skipping = True
            continue
        if skipping:
            found = next((i for i in range(at, len(came)) if same(line, came[i])), None)
            if found is None:
                return f"shown `{line}`, which did not come"
            at = found
        elif at >= len(came):
            return f"shown `{line}`, came nothing more"
        elif not same(line, came[at]):
            return f"shown `{line}`, came `{came[at]}`"
        at, skipping = at + 1, False
    if not skipping and at < len(came):
        return f"shown nothing more, came `{came[at]}`"
    return None


def renew(shown: list[str], came: list[str]) -> list[str] | None:
    """What is shown with the numbers that came; nothing where the words are others.

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
    """Whether two pictures have the same words and lines, and these within half a pixel.

    >>> alike('<line x1="10.0" y1="3"/>', '<line x1="10.2" y1="3"/>'), alike('<line x1="10"/>', '<line x1="11"/>')
    (True, False)
    """
    if NUMBER.sub("N", drawn) != NUMBER.sub("N", kept):
        return False
    return all(abs(float(a) - float(b)) <= pixels for a, b in zip(NUMBER.findall(drawn), NUMBER.findall(kept)))
