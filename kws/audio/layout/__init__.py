# SPDX-License-Identifier: Apache-2.0
"""Folders of recorded words, and speakers from their names."""
