"""Types of what goes in and comes out."""

from __future__ import annotations

import pathlib
from os import PathLike
from typing import TypedDict

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Numbers = npt.ArrayLike
Path = str | PathLike[str]

# A clip of a data set: name in the table, path, size in bytes.
ClipEntry = tuple[str, pathlib.Path, int]


class Closure(TypedDict):
    """Loops of a figure: ``Figure.closure``."""

    rank: int
    free: int
    generalized: list[str]
    dependent: list[str]
    actuated: list[str]
    H: Array
    W: Array
    S: Array


class Actuation(TypedDict):
    """Torques of actuated coordinates: ``Figure.closed_inverse_dynamics``."""

    actuated: list[str]
    tau: Array
    missing: float
    connection_forces: dict[str, Array]


class Energy(TypedDict):
    """Energy of a figure, J."""

    kinetic: float
    potential: float
    spring: float
    total: float


class Contact(TypedDict):
    """A contact of a simulation."""

    link: str
    on: str
    force: Array
    center: Array | None
