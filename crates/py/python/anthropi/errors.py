"""Exceptions, all derived from :class:`AnthropiError`.

The values in a message are attributes: ``error.expected``, ``error.got``, ``error.line``.
"""

from __future__ import annotations

from typing import Any


class AnthropiError(Exception):
    """Base class of all errors of this package."""

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
    """An unknown name of a figure, link, joint, motion, ..."""

    what: str
    name: str


class StateError(AnthropiError, ValueError):
    """A state of another revision: the figure was edited after the state was made."""

    state: int
    figure: int


class StructureError(AnthropiError, ValueError):
    """An invalid figure or edit."""


class ClosureError(AnthropiError, ArithmeticError):
    """Connections that cannot be closed, or dependent generalized coordinates."""


class SingularError(AnthropiError, ArithmeticError):
    """A singular mass matrix."""


class DivergedError(AnthropiError, ArithmeticError):
    """A simulation that diverged."""

    time: float
    dof: str


class MotionError(AnthropiError, ValueError):
    """An unsuitable motion: too short, of another figure, of a figure without feet."""


class FileError(AnthropiError):
    """A file that cannot be read or written."""

    path: str


class FileSystemError(FileError, OSError):
    """An error of the file system."""


class FormatError(FileError, ValueError):
    """An invalid file; ``line`` and ``column`` count from one."""

    line: int | None
    column: int | None
    field: str | None


class InternalError(AnthropiError, RuntimeError):
    """A bug in this package; please report it."""
