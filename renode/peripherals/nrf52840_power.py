# SPDX-License-Identifier: Apache-2.0
# POWER and CLOCK of the nRF52840, which share a page; Renode 1.15.3 models CLOCK alone. The crystal
# starts at once; GPREGRET and GPREGRET2 outlast a reset; what is not named here reads as it was
# written. Product Specification v1.7, sections 5.3.7 and 5.4.4.
# ControlWrite(0, 1) plugs the USB cable in, ControlWrite(0, 0) pulls it out.
# Renode runs this file anew at each access (IronPython 2.7); names live on.
HFCLKSTARTED, USBDETECTED, USBREMOVED, INTENSET = 0x100, 0x11C, 0x120, 0x304
HFCLKSTAT, USBREGSTATUS, GPREGRET, GPREGRET2 = 0x40C, 0x438, 0x51C, 0x520

if request.isInit:
    kept = dict(registers) if "registers" in globals() else {}
    registers = {HFCLKSTARTED: 1, HFCLKSTAT: 0x10001}
    for retained in (GPREGRET, GPREGRET2, USBREGSTATUS):
        registers[retained] = kept.get(retained, 0)
elif request.isRead:
    request.value = registers.get(request.offset, 0)
elif request.isWrite and request.offset not in (HFCLKSTARTED, HFCLKSTAT, USBREGSTATUS, INTENSET):
    registers[request.offset] = request.value
elif request.isUser:
    from Antmicro.Renode.Core import EmulationManager

    registers[USBREGSTATUS] = 3 if request.value else 0
    registers[USBDETECTED if request.value else USBREMOVED] = 1
    machine = next(iter(EmulationManager.Instance.CurrentEmulation.Machines))
    machine.SystemBus.WriteDoubleWord(0xE000E200, 1)  # NVIC: interrupt 0 is pending
