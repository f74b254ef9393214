"""Fixtures for tests of the ports."""

from tests.host.conftest import board_tools, cache, yes_no  # noqa: F401
