# SPDX-License-Identifier: Apache-2.0
# A USB host for peripherals/nrf52840_usbd.py, run inside Renode (IronPython 2.7) by
# tests/firmware/test_usb_renode.py: plugs in, enumerates, opens the terminal, types a command,
# pulls the cable, reconnects, touches at 1200 bps. Writes its observations to `seen_path`, as JSON.
import json

from Antmicro.Renode.Core import EmulationManager

NAK, STALL = 0x10000, 0x20000
machine = next(iter(EmulationManager.Instance.CurrentEmulation.Machines))
usbd, power = machine["sysbus.usbd"], machine["sysbus.power"]
seen = {}


def run(milliseconds):
    monitor.Parse('emulation RunFor "%.4f"' % (milliseconds / 1000.0))


def call(command, value=0):
    return int(usbd.ControlRead(command, value))


def token(command, number):
    for _ in range(50):
        got = call(command, number)
        if got != NAK:
            return got
        run(0.5)
    return NAK


def take(number):
    got = token(4, number)
    return got if got >= NAK else [call(5, i) for i in range(got)]


def send(number, data):
    for byte in data:
        call(6, byte)
    return token(7, number)


# The reply, or NAK or STALL.
def control(kind, request, value, index, length, data=()):
    words = [kind | request << 8, value, index, length]
    call(3, sum(word << 16 * i for i, word in enumerate(words)))
    if not kind & 0x80:
        got = send(0, data) if length else 0
        return got or take(0)
    reply = []
    while len(reply) < length:
        got = take(0)
        if got in (NAK, STALL):
            return got
        reply += got
        if len(got) < 64:
            break
    return send(0, []) or reply


def frames(count):
    for _ in range(count):
        call(2)
        run(1)


def listen(milliseconds):
    text = ""
    for _ in range(milliseconds):
        call(2)
        run(1)
        while True:
            got = call(4, 2)
            if got >= NAK:
                break
            text += "".join(chr(call(5, i)) for i in range(got))
            run(0.1)
    return text


# bmRequestType of the last SETUP; a reset of the peripheral clears it.
def last_request():
    return int(usbd.ReadDoubleWord(0x480))


def enumerate_device():
    call(1)
    run(20)
    return {
        "device": control(0x80, 6, 0x0100, 0, 64),
        "address": control(0x00, 5, 7, 0, 0),
        "configuration": control(0x80, 6, 0x0200, 0, 255),
        "strings": [control(0x80, 6, 0x0300 + i, 0x0409, 255) for i in range(5)],
        "qualifier": control(0x80, 6, 0x0600, 0, 10),
        "configure": control(0x00, 9, 1, 0, 0),
        "chosen": control(0x80, 8, 0, 0, 1),
        "line": control(0x21, 0x20, 0, 0, 7, [0, 0xC2, 1, 0, 0, 0, 8]),
        "coding": control(0xA1, 0x21, 0, 0, 7),
        "open": control(0x21, 0x22, 3, 0, 0),
    }


power.Plug(True)
run(50)
seen["attached"] = call(0)
seen["first"] = enumerate_device()
seen["quiet"] = listen(90)
seen["boot"] = listen(60)
seen["sent"] = send(2, [ord(character) for character in "stats\n"])
seen["answer"] = listen(100)

power.Plug(False)
run(20)
seen["pulled"] = call(0)
power.Plug(True)
run(20)
seen["attached_again"] = call(0)
seen["second"] = enumerate_device()
frames(110)
send(2, [ord(character) for character in "gain\n"])
seen["second_answer"] = listen(100)

control(0x21, 0x20, 0, 0, 7, [0xB0, 4, 0, 0, 0, 0, 8])
seen["touch"] = control(0x21, 0x22, 0, 0, 0)
seen["request"] = last_request()
seen["before_reset"] = int(power.ReadDoubleWord(0x51C))
frames(25)
seen["retained"] = int(power.ReadDoubleWord(0x51C))
seen["reset"] = seen["request"] == 0x21 and last_request() == 0

with open(seen_path, "w") as file:
    json.dump(seen, file)
