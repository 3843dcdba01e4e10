"""Specifications written by hand, for tests of what comes after the agents."""

from tests.specs.drone import drone
from tests.specs.inventory import inventory
from tests.specs.wireless import wireless

__all__ = ["drone", "inventory", "wireless"]
