"""Dynamics and motion of human figures.

>>> import anthropi
>>> figure = anthropi.Figure("human-28")
>>> tau = figure.inverse_dynamics(figure.state(), [0.0] * figure.nv)
>>> anthropi.certify("keyed-walk").is_consistent
True

SI units, radians, z up; spatial vectors have the angular part first; quaternions are [w, x, y, z].
"""

from anthropi import dataset, errors
from anthropi._anthropi import (
    Certificate,
    Clip,
    Figure,
    Filtered,
    OnlineFilter,
    Record,
    Simulation,
    State,
    Walk,
    builtins,
    certify,
    filter,
    walk,
)
from anthropi.errors import AnthropiError

__all__ = [
    "AnthropiError",
    "Certificate",
    "Clip",
    "Figure",
    "Filtered",
    "OnlineFilter",
    "Record",
    "Simulation",
    "State",
    "Walk",
    "certify",
    "dataset",
    "errors",
    "figures",
    "filter",
    "motions",
    "scenes",
    "styles",
    "walk",
    "walks",
]


def figures() -> dict[str, str]:
    """Built-in figures: names and one-line summaries."""
    return builtins("figures")


def scenes() -> dict[str, str]:
    """Built-in scenes for ``Simulation.scene``."""
    return builtins("scenes")


def motions() -> dict[str, str]:
    """Built-in motions for ``Clip.load``, ``certify`` and ``filter``."""
    return builtins("motions")


def styles() -> dict[str, str]:
    """Styles for ``walk(style=...)``."""
    return builtins("styles")


def walks() -> dict[str, str]:
    """Built-in walks for ``walk``."""
    return builtins("walks")
