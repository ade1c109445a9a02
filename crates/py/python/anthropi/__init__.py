"""Human figures that move as they really would."""

from anthropi import errors
from anthropi._anthropi import Figure, Record, Simulation, State

__all__ = ["errors", "Figure", "Record", "Simulation", "State"]
