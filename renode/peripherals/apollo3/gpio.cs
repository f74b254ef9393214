// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Apollo3
{
    using System.Collections.Generic;

    using Antmicro.Renode.Core;
    using Antmicro.Renode.Logging;
    using Antmicro.Renode.Peripherals.Bus;
    using Antmicro.Renode.Peripherals.GPIOPort;

    // The pins: push-pull outputs, and inputs.
    public class Apollo3_Gpio : BaseGPIOPort, IDoubleWordPeripheral, IKnownSize
    {
        public Apollo3_Gpio(IMachine machine) : base(machine, 50)
        {
            Reset();
        }

        public uint ReadDoubleWord(long offset)
        {
            if(offset == 0x80 || offset == 0x84) // RDA, RDB: the pins
            {
                var pins = 0u;
                for(var i = 0; i < 32 && (offset - 0x80) * 8 + i < 50; ++i)
                {
                    var pin = (int)(offset - 0x80) * 8 + i;
                    pins |= Connections[pin].IsSet || State[pin] ? 1u << i : 0;
                }
                return pins;
            }
            return values.TryGetValue(offset, out var value) ? value : 0;
        }

        public void WriteDoubleWord(long offset, uint value)
        {
            switch(offset)
            {
            case 0x88: // WTA, WTB, then their set and clear registers
            case 0x8c:
                Write(offset, value);
                break;
            case 0x90:
            case 0x94:
                Write(offset - 8, ReadDoubleWord(offset - 8) | value);
                break;
            case 0x98:
            case 0x9c:
                Write(offset - 16, ReadDoubleWord(offset - 16) & ~value);
                break;
            default:
                // Pads and pins accept writes only while PADKEY is 0x73.
                if(offset < 0x60 && ReadDoubleWord(0x60) != 0x73)
                {
                    this.Log(LogLevel.Warning, "0x{0:x} is locked by PADKEY", offset);
                    break;
                }
                values[offset] = value;
                for(var pin = 0; pin < 50; ++pin)
                {
                    Drive(pin);
                }
                break;
            }
        }

        public override void Reset()
        {
            base.Reset();
            values.Clear();
            for(var pad = 0; pad < 52; pad += 4)
            {
                values[pad] = 0x18181818; // GPIO
            }
        }

        // A pad's byte: pull-up, input enable, strength, and the function from bit 3 on.
        public uint Function(int pad) => Pad(pad) >> 3 & 7;

        public bool ReadsInput(int pad) => (Pad(pad) & 2) != 0;

        public bool IsPulledUp(int pad) => (Pad(pad) & 1) != 0;

        public long Size => 0x1000;

        private void Write(long offset, uint value)
        {
            values[offset] = value;
            for(var pin = 0; pin < 50; ++pin)
            {
                Drive(pin);
            }
        }

        private uint Pad(int pad) => ReadDoubleWord(pad / 4 * 4) >> pad % 4 * 8 & 0xff;

        // A pin is high if its pad's function is GPIO, its output is push-pull, and its bit is set.
        private void Drive(int pin)
        {
            var gpio = Function(pin) == 3;
            var output = (ReadDoubleWord(0x40 + pin / 8 * 4) >> pin % 8 * 4 + 1 & 3) == 1;
            var bit = (ReadDoubleWord(0x88 + pin / 32 * 4) >> pin % 32 & 1) != 0;
            Connections[pin].Set(gpio && output && bit);
        }

        private readonly Dictionary<long, uint> values = new Dictionary<long, uint>();
    }
}
