"""Fixtures for tests of the ports."""

from tests.host.conftest import yes_no  # noqa: F401
