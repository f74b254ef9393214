# SPDX-License-Identifier: Apache-2.0
"""Decodes recordings of any kind, and says what is missing from them."""
