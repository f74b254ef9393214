# SPDX-License-Identifier: Apache-2.0
"""`kws listen --web`: what is heard, on a page of this machine."""
