# SPDX-License-Identifier: Apache-2.0
from SCons.Script.Main import main

main()
