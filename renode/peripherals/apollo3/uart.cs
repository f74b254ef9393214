// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Apollo3
{
    using System;

    using Antmicro.Renode.Core;
    using Antmicro.Renode.Logging;
    using Antmicro.Renode.Peripherals.Bus;
    using Antmicro.Renode.Peripherals.UART;

    // UART0: an ARM PL011 with its own clock, and an adapter at its pads that is set to `Rate`, 8N1. Bytes get
    // through only if power, clock, divisor, frame and pads match the adapter.
    public class Apollo3_Uart : PL011, IDoubleWordPeripheral
    {
        public Apollo3_Uart(IMachine machine, Apollo3_Clocks clocks, Apollo3_Power power,
            Apollo3_Gpio gpio) : base(machine, 32)
        {
            this.clocks = clocks;
            this.power = power;
            this.gpio = gpio;
        }

        // The board's pads, each with the function that connects it to UART0.
        public int SendPad { get; set; }
        public int ReceivePad { get; set; }

        // The adapter's rate, in bit/s.
        public int Rate { get; set; } = 115200;

        public override void WriteChar(byte value)
        {
            if(Frames && gpio.Function(ReceivePad) == ConnectedFunction && gpio.ReadsInput(ReceivePad))
            {
                if(!heard && !gpio.IsPulledUp(ReceivePad))
                {
                    base.WriteChar(Noise); // noise before the adapter is connected (assumed)
                }
                heard = true;
                base.WriteChar(value);
            }
        }

        public new uint ReadDoubleWord(long offset)
        {
            return power.Uart ? base.ReadDoubleWord(offset) : 0;
        }

        public new void WriteDoubleWord(long offset, uint value)
        {
            if(!power.Uart)
            {
                return;
            }
            switch(offset)
            {
            case Data:
                if(!Frames || gpio.Function(SendPad) != ConnectedFunction)
                {
                    ReportMute();
                    return;
                }
                break;
            case IntegerDivisor:
                nextInteger = value & 0xffff;
                break;
            case FractionalDivisor:
                nextFraction = value & 0x3f;
                break;
            case Line: // applies the divisor (ARM DDI 0183G, 3.3.7)
                line = value;
                divisor = 64 * nextInteger + nextFraction;
                break;
            case Control:
                control = value;
                break;
            }
            base.WriteDoubleWord(offset, value);
        }

        public override void Reset()
        {
            base.Reset();
            nextInteger = nextFraction = divisor = line = control = 0;
            mute = heard = false;
        }

        public override uint BaudRate => divisor == 0 ? 0 : (uint)(4 * Clock / divisor);

        // CR.CLKSEL: 24, 12, 6 or 3 MHz of HFRC's 48.
        private long Clock
        {
            get
            {
                var select = (int)(control >> 4 & 7);
                var on = (control & 1u << 3) != 0 && select >= 1 && select <= 4; // CLKEN
                return on ? clocks.Hfrc >> select : 0;
            }
        }

        // Both ends of a ten-bit frame tolerate 2 %; WLEN 8 bits, no parity.
        private bool Frames => power.Uart && Math.Abs((int)BaudRate - Rate) * 50 < Rate &&
            (line & 0x62) == 0x60;

        private void ReportMute()
        {
            if(!mute)
            {
                mute = true;
                this.Log(LogLevel.Error, "the adapter cannot decode the output: {0} bit/s, pad's function {1}",
                    BaudRate, gpio.Function(SendPad));
            }
        }

        private readonly Apollo3_Clocks clocks;
        private readonly Apollo3_Power power;
        private readonly Apollo3_Gpio gpio;
        private uint nextInteger;
        private uint nextFraction;
        private uint divisor; // sixty-fourths
        private uint line;
        private uint control;
        private bool mute; // already logged
        private bool heard;

        private const byte Noise = 0x7e;
        private const int ConnectedFunction = 0; // of pads 48 and 49
        private const long Data = 0x00;
        private const long IntegerDivisor = 0x24;
        private const long FractionalDivisor = 0x28;
        private const long Line = 0x2c;
        private const long Control = 0x30;
    }
}
