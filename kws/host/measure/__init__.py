# SPDX-License-Identifier: Apache-2.0
"""Costs of firmware and models: instructions, bytes, time."""
