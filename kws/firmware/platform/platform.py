# SPDX-License-Identifier: Apache-2.0
"""Settings that PlatformIO reads before a build."""

import shutil

from platformio.public import PlatformBase

TOOLCHAIN = "toolchain-gccarmnoneeabi"


class KwsPlatform(PlatformBase):
    """Uses the arm-none-eabi-g++ on PATH; without one, downloads PlatformIO's toolchain."""

    def configure_default_packages(self, options, target_names):
        if shutil.which("arm-none-eabi-g++"):
            self.packages.pop(TOOLCHAIN, None)
        return super().configure_default_packages(options, target_names)
