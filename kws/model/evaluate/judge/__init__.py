# SPDX-License-Identifier: Apache-2.0
"""From scores to metrics: hits, misses, false alarms, their intervals, and the best thresholds."""
