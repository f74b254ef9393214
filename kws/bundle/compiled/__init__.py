# SPDX-License-Identifier: Apache-2.0
"""Models as C++: kernel calls and constants instead of an interpreter."""
