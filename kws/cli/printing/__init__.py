# SPDX-License-Identifier: Apache-2.0
"""What commands print: tables and lines."""
