# SPDX-License-Identifier: Apache-2.0
"""The web page of `kws listen --web` and of `kws export web`."""
