# SPDX-License-Identifier: Apache-2.0
# The command `run_watched SECONDS`: `emulation RunFor`, but a core that polls a peripheral forever,
# which would take minutes, is reported in a line, `hangs: ...`, after a quarter of a second of the
# board's time. Then time stops. Include it after the board's script.
# (IronPython 2.7.)
import re

from Antmicro.Renode.Core import EmulationManager
from Antmicro.Renode.Logging import Logger

_STEP_SECONDS = 0.05
_LOOKS = 5
_LOOP_BYTES = 64
_BUSY = 0.9  # of the instructions that the core can execute
_LOG_SECONDS = 0.000005
_READ = re.compile(r"^(?:[^/]*/)?(\S+): \[cpu: 0x[0-9A-F]+\] Read\w+ from (0x[0-9A-F]+)")

_places = []  # from the last checks of a core that did not sleep
_hangs = [False]


def _machine():
    return next(iter(EmulationManager.Instance.CurrentEmulation.Machines))


def _cpu():
    return _machine()["sysbus.cpu"]


def _run(seconds):
    monitor.Parse('emulation RunFor "%.9f"' % seconds)


def _polled():
    """The only address read, as `peripheral + offset`; None if the core does anything else."""
    memory = Logger.GetBackends()["memory"]
    monitor.Parse("logLevel 1")
    monitor.Parse("sysbus LogAllPeripheralsAccess true")
    monitor.Parse('log "looks"')
    _run(_LOG_SECONDS)
    monitor.Parse("sysbus LogAllPeripheralsAccess false")
    monitor.Parse("logLevel 3")
    entries = [entry.Message for entry in memory.GetMemoryLogEntries(1000)]
    begin = max(i for i, text in enumerate(entries) if "looks" in text)
    accesses = [text for text in entries[begin:] if "[cpu: 0x" in text]
    reads = {match.groups() for match in map(_READ.match, accesses) if match}
    return " + ".join(reads.pop()) if accesses and len(reads) == 1 else None


def _look(instructions, seconds):
    cpu = _cpu()
    possible = int(cpu.PerformanceInMips) * 1000000 * seconds
    if int(cpu.ExecutedInstructions) - instructions < _BUSY * possible:
        del _places[:]
        return
    _places.append(int(cpu.PC.RawValue))
    del _places[:-_LOOKS]
    if len(_places) < _LOOKS or max(_places) - min(_places) > _LOOP_BYTES:
        return
    polled = _polled()
    if polled:
        _hangs[0] = True
        place = _machine()["sysbus"].FindSymbolAt(_places[-1]) or hex(_places[-1])
        monitor.Parse('echo "hangs: %s reads %s forever"' % (place, polled))


def mc_run_watched(seconds):
    left = float(str(seconds))
    while left > 0.0000005 and not _hangs[0]:
        step = min(left, _STEP_SECONDS)
        instructions = int(_cpu().ExecutedInstructions)
        _run(step)
        left -= step
        _look(instructions, step)
