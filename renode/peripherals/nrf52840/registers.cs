// SPDX-License-Identifier: Apache-2.0
// Parts of Nordic's nRF52840 that Renode 1.15.3 lacks, or models too leniently: its own PDM and UARTE
// work with any pin, rate and clock. Sources: nRF52840 Product Specification (PS) v1.7, with sections,
// and the vendor's SVD file. Behaviour without a source is marked with "assumed".
namespace Antmicro.Renode.Peripherals.Nrf52840
{
    using System.Collections.Generic;

    using Antmicro.Renode.Core;
    using Antmicro.Renode.Peripherals.GPIOPort;

    // A peripheral's registers, which read back the written value, its events from 0x100 on, and the interrupts
    // that INTEN, INTENSET and INTENCLR enable for them (6.1).
    public class Nrf52840_Registers
    {
        public uint this[long offset]
        {
            get => values.TryGetValue(offset, out var value) ? value : 0;
            set => values[offset] = value;
        }

        public uint Read(long offset)
        {
            return offset == IntenSet || offset == IntenClear ? this[Inten] : this[offset];
        }

        public void Write(long offset, uint value)
        {
            switch(offset)
            {
            case IntenSet:
                this[Inten] |= value;
                break;
            case IntenClear:
                this[Inten] &= ~value;
                break;
            default:
                this[offset] = value;
                break;
            }
            Update();
        }

        public void Raise(long eventOffset)
        {
            this[eventOffset] = 1;
            Update();
        }

        public void Clear()
        {
            values.Clear();
            Update();
        }

        public GPIO IRQ { get; } = new GPIO();

        private void Update()
        {
            var pending = false;
            for(var i = 0; i < 32; ++i)
            {
                pending |= (this[Inten] >> i & 1) != 0 && this[Events + 4 * i] != 0;
            }
            IRQ.Set(pending);
        }

        private readonly Dictionary<long, uint> values = new Dictionary<long, uint>();

        private const long Events = 0x100;
        private const long Inten = 0x300;
        private const long IntenSet = 0x304;
        private const long IntenClear = 0x308;
    }

    // The chip's two ports as a peripheral's PSEL registers number them: pin n of port p is 32 p + n.
    public class Nrf52840_Pins
    {
        public Nrf52840_Pins(NRF52840_GPIO port0, NRF52840_GPIO port1)
        {
            this.port0 = port0;
            this.port1 = port1;
        }

        // Whether a PSEL register selects `pin`: bit 31 disconnects it.
        public static bool Selects(uint psel, int pin) => (psel & 1u << 31) == 0 && (psel & 0x3f) == pin;

        public static string Name(int pin) => $"P{pin / 32}.{pin % 32:00}";

        public bool IsOutput(int pin) => Pin(pin).Direction == NRF52840_GPIO.PinDirection.Output;

        public bool IsHigh(int pin) => IsOutput(pin) && Pin(pin).OutputValue;

        // Whether the pin is an input with a connected buffer.
        public bool IsInput(int pin) => !IsOutput(pin) && Pin(pin).InputOverride;

        public bool IsPulledUp(int pin) => Pin(pin).PullMode == NRF52840_GPIO.PullMode.PullUp;

        private NRF52840_GPIO.Pin Pin(int pin) => (pin < 32 ? port0 : port1).Pins[pin % 32];

        private readonly NRF52840_GPIO port0;
        private readonly NRF52840_GPIO port1;
    }
}
