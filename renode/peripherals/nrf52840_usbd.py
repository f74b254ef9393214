# SPDX-License-Identifier: Apache-2.0
# The nRF52840's USB device peripheral for Renode, which has none up to 1.15.3: endpoint 0 and the
# bulk endpoints, enough for enumeration and serial data. Product Specification v1.7, section 6.35.
# The stricter model of the C++ tests checks what the driver must not do.
#
# The host is outside, through ControlRead(command, value):
#   0       1 while the pull-up is on
#   1       bus reset
#   2       start of a frame
#   3 S     SETUP with the 8 bytes of S, lowest first
#   4 N     IN token for endpoint N: size of its packet, NAK or STALL; 5 I then gives byte I
#   6 B     adds byte B to the next OUT packet; 7 N sends it to endpoint N: 0, NAK or STALL
#   8       1 once the interrupt's flag is up
# Renode runs this file again at each access (IronPython 2.7); its names persist.
if request.isInit:
    from Antmicro.Renode.Core import EmulationManager

    NAK, STALL = 0x10000, 0x20000
    END_IN, DATA_DONE_0, END_OUT, SOF, USB_EVENT, SETUP_0, DATA = (
        0x108,
        0x128,
        0x130,
        0x154,
        0x158,
        0x15C,
        0x160,
    )
    registers = {0x510: 1, 0x514: 1}
    setup = [0] * 8
    control = ["idle"]
    waiting_in, waiting_out, accepting, stalled = {}, {}, set(), set()
    packet, next_out = [], []

    def machine():
        return next(iter(EmulationManager.Instance.CurrentEmulation.Machines))

    def interrupt():
        events = 0
        for bit in range(25):
            events |= registers.get(0x100 + 4 * bit, 0) << bit
        return 1 if events & registers.get(0x300, 0) else 0

    def event(offset):
        registers[offset] = 1
        pend()

    def pend():
        if interrupt():
            machine().SystemBus.WriteDoubleWord(0xE000E204, 1 << 7)  # NVIC: 39 is pending

    def clear_endpoints():
        waiting_in.clear()
        waiting_out.clear()
        accepting.clear()
        stalled.clear()
        registers[0x510] = registers[0x514] = 1
        control[0] = "idle"

    def start_in(number):
        bus, base = machine().SystemBus, 0x600 + 0x14 * number
        size = registers.get(base + 4, 0)
        waiting_in[number] = [bus.ReadByte(registers[base] + i) for i in range(size)]
        if number == 0:
            control[0] = "in"
        event(END_IN + 4 * number)

    def start_out(number):
        bus, base = machine().SystemBus, 0x700 + 0x14 * number
        data = waiting_out.pop(number, [])
        for i, byte in enumerate(data[: registers.get(base + 4, 0)]):
            bus.WriteByte(registers[base] + i, byte)
        accepting.add(number)
        event(END_OUT + 4 * number)

    def write(offset, value):
        if 0x004 <= offset < 0x024:
            start_in((offset - 0x004) // 4)
        elif 0x028 <= offset < 0x048:
            start_out((offset - 0x028) // 4)
        elif offset == 0x04C:
            control[0] = "out"
        elif offset == 0x050:
            control[0] = "status"
        elif offset == 0x054:
            control[0] = "stall"
        elif offset in (0x400, 0x46C):  # 1 clears
            registers[offset] = registers.get(offset, 0) & ~value
        elif 0x4A0 <= offset < 0x4C0:
            waiting_out.pop((offset - 0x4A0) // 4, None)
            accepting.add((offset - 0x4A0) // 4)
        elif offset == 0x518:
            (stalled.add if value & 0x100 else stalled.discard)(value & 0x87)
        else:
            registers[offset] = value
            if offset == 0x500 and value == 1:
                registers[0x400] = 0x800  # READY
                event(USB_EVENT)
            elif offset == 0x300:
                pend()  # report waiting events now

    def read(offset):
        if 0x480 <= offset < 0x4A0:
            return setup[(offset - 0x480) // 4]
        if 0x4A0 <= offset < 0x4C0:
            return len(waiting_out.get((offset - 0x4A0) // 4, []))
        return registers.get(offset, 0)

    def take_in(number):
        if number == 0:
            if control[0] == "stall":
                return STALL
            if control[0] == "status":
                control[0] = "idle"
                del packet[:]
                return 0
            if control[0] != "in":
                return NAK
            control[0] = "idle"
        elif 0x80 | number in stalled:
            return STALL
        if number not in waiting_in:
            return NAK
        packet[:] = waiting_in.pop(number)
        if number == 0:
            event(DATA_DONE_0)
        else:
            registers[0x46C] = registers.get(0x46C, 0) | 1 << number
            event(DATA)
        return len(packet)

    def send_out(number):
        data = list(next_out)
        if number == 0:
            if control[0] == "stall":
                return STALL
            if control[0] not in ("out", "status"):
                return NAK
            if control[0] == "out":
                waiting_out[0] = data
                control[0] = "idle"
                event(DATA_DONE_0)
            else:
                control[0] = "idle"
        elif number in stalled:
            return STALL
        elif number not in accepting or number in waiting_out:
            return NAK
        else:
            waiting_out[number] = data
            registers[0x46C] = registers.get(0x46C, 0) | 1 << (16 + number)
            event(DATA)
        del next_out[:]
        return 0

    def host(command, value):
        if command == 0:
            return registers.get(0x504, 0)
        if command == 1:
            clear_endpoints()
            event(0x100)
        elif command == 2:
            event(SOF)
        elif command == 3:
            setup[:] = [value >> 8 * i & 0xFF for i in range(8)]
            waiting_in.pop(0, None)
            control[0] = "status" if setup[:2] == [0, 5] else "decide"  # SET_ADDRESS: by itself
            event(SETUP_0)
        elif command == 4:
            return take_in(value)
        elif command == 5:
            return packet[value]
        elif command == 6:
            next_out.append(value)
        elif command == 7:
            return send_out(value)
        return interrupt()

elif request.isRead:
    request.value = read(request.offset)
elif request.isWrite:
    write(request.offset, request.value)
elif request.isUser:
    request.value = host(request.offset, request.value)
