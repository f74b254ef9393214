# SPDX-License-Identifier: Apache-2.0
# The cycle counter of a Cortex-M4 DWT (ARM DDI 0403E, C1.8): DWT_CTRL and DWT_CYCCNT. Renode counts
# an instruction as a cycle, and none while the core sleeps.
# Renode runs this file again at each access (IronPython 2.7); its names persist.
if request.isInit:
    from Antmicro.Renode.Core import EmulationManager

    # Whether it counts; the instructions at a count of 0, or the count while it is stopped.
    counter = [False, 0]

    def instructions():
        machine = next(iter(EmulationManager.Instance.CurrentEmulation.Machines))
        cpu = machine["sysbus.cpu"]
        return int(cpu.ExecutedInstructions)

elif request.isRead:
    if request.offset == 0x000:
        request.value = 1 if counter[0] else 0
    elif request.offset == 0x004:
        count = instructions() - counter[1] if counter[0] else counter[1]
        request.value = count & 0xFFFFFFFF
elif request.isWrite and request.offset == 0x000:
    counts = bool(request.value & 1)
    if counts != counter[0]:
        counter[:] = [counts, instructions() - counter[1]]
