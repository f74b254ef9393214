# SPDX-License-Identifier: Apache-2.0
"""Layout of the tensor arena over time, as text and as a picture."""
