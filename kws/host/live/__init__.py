# SPDX-License-Identifier: Apache-2.0
"""`kws listen`: the live microphone through the device's pipeline."""
