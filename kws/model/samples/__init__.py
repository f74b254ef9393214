# SPDX-License-Identifier: Apache-2.0
"""Which clips a model learns from and is evaluated on."""
