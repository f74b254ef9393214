# SPDX-License-Identifier: Apache-2.0
"""Float weights of trained models: in the folders of runs and in bundles."""
