# SPDX-License-Identifier: Apache-2.0
"""The report of an evaluation: one HTML file with live charts."""
