# SPDX-License-Identifier: Apache-2.0
"""Training: from a data set to a bundle."""
