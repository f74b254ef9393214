# SPDX-License-Identifier: Apache-2.0
"""Exports of a bundle for other build systems: the core as a library, with the model."""
