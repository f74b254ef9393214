# SPDX-License-Identifier: Apache-2.0
"""From a Keras model or a .tflite file to int8 bytes that the core runs."""
