# SPDX-License-Identifier: Apache-2.0
# Loads the models of the chip in the variable `chip`, such as nrf52840/. Renode compiles each C#
# file separately, but these depend on each other, so they are compiled as one file.
from System.IO import Directory, File, Path

_folder = Path.Combine(Path.GetDirectoryName((lambda: None).func_code.co_filename), chip)
_texts = [File.ReadAllText(file) for file in sorted(Directory.GetFiles(_folder, "*.cs"))]
_models = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName() + ".cs")
File.WriteAllText(_models, "\n".join(_texts))
monitor.Parse("include @" + _models)
File.Delete(_models)
