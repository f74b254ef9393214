# SPDX-License-Identifier: Apache-2.0
"""What firmware and models cost: instructions, bytes, time."""
