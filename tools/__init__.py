# SPDX-License-Identifier: Apache-2.0
"""Programs that write documents, results, pictures and the built-in models."""
