// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Stm32L4
{
    using System.Collections.Generic;

    using Antmicro.Renode.Core;
    using Antmicro.Renode.Logging;
    using Antmicro.Renode.Peripherals.Bus;
    using Antmicro.Renode.Peripherals.GPIOPort;

    // A port (RM 8). Connection n is on while pin n is an output and high; connection 16 + n is on while it is
    // an output and low. So two LEDs may share a pin, and an input lights neither.
    public class Stm32L4_Gpio : BaseGPIOPort, IDoubleWordPeripheral, IKnownSize
    {
        // `port` is 0 for A.
        public Stm32L4_Gpio(IMachine machine, Stm32L4_Rcc rcc, int port) : base(machine, 2 * Pins)
        {
            this.rcc = rcc;
            this.port = port;
            Reset();
        }

        public uint ReadDoubleWord(long offset)
        {
            if(!rcc.IsEnabled(Ahb2Enable, port))
            {
                return 0;
            }
            if(offset != InputData)
            {
                return this[offset];
            }
            var pins = 0u;
            for(var pin = 0; pin < Pins; ++pin)
            {
                pins |= Connections[pin].IsSet || State[pin] ? 1u << pin : 0;
            }
            return pins;
        }

        public void WriteDoubleWord(long offset, uint value)
        {
            if(!rcc.IsEnabled(Ahb2Enable, port))
            {
                this.Log(LogLevel.Error, "a write at 0x{0:x} without a clock", offset);
                return;
            }
            switch(offset)
            {
            case InputData:
                return;
            case BitSet:
                this[OutputData] = this[OutputData] & ~(value >> 16) | value & 0xffff;
                break;
            case BitReset:
                this[OutputData] &= ~value;
                break;
            default:
                this[offset] = value;
                break;
            }
            Drive();
        }

        public override void Reset()
        {
            base.Reset();
            values.Clear();
            // Analog, except for the debug port's pins.
            this[Mode] = port == 0 ? 0xabffffff : port == 1 ? 0xfffffebf : 0xffffffff;
            this[Pull] = port == 0 ? 0x64000000u : port == 1 ? 0x100u : 0;
        }

        // Whether the pin has this alternate function.
        public bool IsFunction(int pin, uint function) =>
            (this[Mode] >> 2 * pin & 3) == 2 && (this[Function + pin / 8 * 4] >> pin % 8 * 4 & 0xf) == function;

        public bool IsPulledUp(int pin) => (this[Pull] >> 2 * pin & 3) == 1;

        public long Size => 0x400;

        private void Drive()
        {
            for(var pin = 0; pin < Pins; ++pin)
            {
                var output = (this[Mode] >> 2 * pin & 3) == 1;
                var high = (this[OutputData] >> pin & 1) != 0;
                Connections[pin].Set(output && high);
                Connections[Pins + pin].Set(output && !high);
            }
        }

        private uint this[long offset]
        {
            get => values.TryGetValue(offset, out var value) ? value : 0;
            set => values[offset] = value;
        }

        private readonly Stm32L4_Rcc rcc;
        private readonly int port;
        private readonly Dictionary<long, uint> values = new Dictionary<long, uint>();

        private const int Pins = 16;
        private const long Ahb2Enable = 0x4c;
        private const long Mode = 0x00;
        private const long Pull = 0x0c;
        private const long InputData = 0x10;
        private const long OutputData = 0x14;
        private const long BitSet = 0x18;
        private const long Function = 0x20;
        private const long BitReset = 0x28;
    }
}
