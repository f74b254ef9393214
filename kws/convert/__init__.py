# SPDX-License-Identifier: Apache-2.0
"""A Keras model to int8 TFLite, and anyone's .tflite file to a bundle."""
