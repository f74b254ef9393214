"""Fixtures for tests of the ports."""

from tests.host.conftest import board_tools, cache, public_bundle  # noqa: F401
