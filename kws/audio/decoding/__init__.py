# SPDX-License-Identifier: Apache-2.0
"""Decodes recordings of any format, and detects truncated ones."""
