# SPDX-License-Identifier: Apache-2.0
"""Models as C++: calls of kernels with constants instead of an interpreter."""
