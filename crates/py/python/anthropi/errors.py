"""What can go wrong: one class a kind, all below :class:`AnthropiError`.

The values behind a message are attributes: ``error.expected``, ``error.got``, ``error.line``.
"""

from __future__ import annotations

from typing import Any


class AnthropiError(Exception):
    """Anything this package refuses or cannot do."""

    def __init__(self, message: str, **values: Any) -> None:
        super().__init__(message)
        self.__dict__.update(values)


class DimensionError(AnthropiError, ValueError):
    """An array of the wrong shape."""

    what: str
    expected: str | int
    got: str | int


class NotFiniteError(AnthropiError, ValueError):
    """A number that is infinite or NaN."""

    what: str


class OutOfRangeError(AnthropiError, ValueError):
    """A quantity outside its range."""

    what: str
    value: float
    expected: str


class UnknownNameError(AnthropiError, LookupError):
    """No figure, link, joint, motion, ... of that name."""

    what: str
    name: str


class StateError(AnthropiError, ValueError):
    """A state of another revision of the structure: the figure was changed after the state was made."""

    state: int
    figure: int


class StructureError(AnthropiError, ValueError):
    """A figure that cannot be, or cannot be changed so."""


class ClosureError(AnthropiError, ArithmeticError):
    """Connections that cannot be closed, or coordinates that depend on each other."""


class SingularError(AnthropiError, ArithmeticError):
    """A mass matrix without inverse."""


class DivergedError(AnthropiError, ArithmeticError):
    """A simulation that ran away."""

    time: float
    dof: str


class MotionError(AnthropiError, ValueError):
    """A motion that cannot be used so: too short, of another figure, of somebody without feet."""


class FileError(AnthropiError):
    """A file that cannot be read or written."""

    path: str


class FileSystemError(FileError, OSError):
    """The file system says no."""


class FormatError(FileError, ValueError):
    """A file that breaks the rules of its format; ``line`` and ``column`` count from one."""

    line: int | None
    column: int | None
    field: str | None


class InternalError(AnthropiError, RuntimeError):
    """A fault of this package, please report it."""
