# SPDX-License-Identifier: Apache-2.0
"""The command line: a file for each group of commands."""
