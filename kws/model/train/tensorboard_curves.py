# SPDX-License-Identifier: Apache-2.0
"""A run's curves for TensorBoard."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kws.convert.backend import import_tensorflow
from kws.errors import KwsError


class CurveWriter:
    """Writes numbers per epoch into a new event file in a folder.

    A resumed run adds a file; TensorBoard shows them as one curve.
    """

    def __init__(self, folder: Path) -> None:
        """Create the file.

        Raises:
            KwsError: the file cannot be written.
            ToolError: TensorFlow is not installed.
        """
        self._tf = import_tensorflow()
        self._folder = folder
        try:
            self._writer = self._tf.summary.create_file_writer(str(folder))
        except self._tf.errors.OpError as error:
            raise self._failure(error) from None

    def write(self, step: int, values: Mapping[str, float]) -> None:
        """Add the numbers of one epoch and flush them to the file.

        Raises:
            KwsError: the file cannot be written.
        """
        try:
            with self._writer.as_default():
                for name, value in values.items():
                    self._tf.summary.scalar(name, value, step=step)
            self._writer.flush()
        except self._tf.errors.OpError as error:
            raise self._failure(error) from None

    def _failure(self, error: Exception) -> KwsError:
        reason = str(getattr(error, "message", error)).splitlines()[0]
        return KwsError(
            f"{self._folder}: the curves cannot be written ({reason}); free some disk space"
        )
