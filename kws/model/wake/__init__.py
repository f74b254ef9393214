# SPDX-License-Identifier: Apache-2.0
"""From a phrase to a bundle that hears it."""
