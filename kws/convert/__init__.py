# SPDX-License-Identifier: Apache-2.0
"""Converts Keras models to int8 TFLite, and .tflite files to bundles."""
