# SPDX-License-Identifier: Apache-2.0
"""kws: from spoken words to a microcontroller that hears them."""

from importlib.metadata import version

__version__ = version("kws")
