# SPDX-License-Identifier: Apache-2.0
"""The bundle: what conversion writes and every later command reads."""
