# SPDX-License-Identifier: Apache-2.0
"""Build firmware, run it in emulators, measure it, deploy it, and listen to devices."""
