# SPDX-License-Identifier: Apache-2.0
"""Output of commands: tables and lines."""
