# SPDX-License-Identifier: Apache-2.0
"""Sound from this machine's microphones: live, and recorded as a data set."""
