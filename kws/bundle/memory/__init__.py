# SPDX-License-Identifier: Apache-2.0
"""What lies where in the tensor arena, and when: as text and as a picture."""
