// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Stm32L4
{
    using System;
    using System.Collections.Generic;

    using Antmicro.Renode.Core;
    using Antmicro.Renode.Logging;
    using Antmicro.Renode.Peripherals.Bus;
    using Antmicro.Renode.Peripherals.Timers;
    using Antmicro.Renode.Peripherals.UART;
    using Antmicro.Renode.Time;

    // USART1 (RM 40) with an adapter at its pins, set to `Rate`, 8N1. DMA transfers take time; a byte from
    // the core is sent at once. Bytes arrive only if clock, rate, frame and pins match the adapter's.
    public class Stm32L4_Usart : UARTBase, IDoubleWordPeripheral, IKnownSize
    {
        public Stm32L4_Usart(IMachine machine, Stm32L4_Rcc rcc, Stm32L4_Dma dma, Stm32L4_Gpio port) : base(machine)
        {
            this.rcc = rcc;
            this.dma = dma;
            this.port = port;
            transfer = new LimitTimer(machine.ClockSource, Rate, this, "transfer", limit: 1, eventEnabled: true,
                workMode: WorkMode.OneShot);
            transfer.LimitReached += EndSend;
            dma.Switched += channel => StartSend();
            Reset();
        }

        // Pins of `port`, and the alternate function that connects them.
        public int SendPin { get; set; }
        public int ReceivePin { get; set; }
        public uint Function { get; set; }

        // Channels of `dma`, and their selection in CSELR (RM 11.6.7).
        public int SendChannel { get; set; }
        public int ReceiveChannel { get; set; }
        public uint Request { get; set; }

        // Address of its registers on the bus.
        public uint Address { get; set; }

        // The adapter's rate, in bit/s.
        public int Rate { get; set; } = 115200;

        public override void WriteChar(byte value)
        {
            if(Frames && (this[Control1] & ReceiveEnable) != 0 && port.IsFunction(ReceivePin, Function))
            {
                if(!heard && !port.IsPulledUp(ReceivePin))
                {
                    base.WriteChar(Noise); // noise before the adapter is connected (assumed)
                }
                heard = true;
                base.WriteChar(value);
            }
        }

        public uint ReadDoubleWord(long offset)
        {
            if(!HasClock)
            {
                return 0;
            }
            switch(offset)
            {
            case Status:
                return status | TransmitEmpty | (transfer.Enabled ? 0 : TransmitDone);
            case ReceiveData:
                status &= ~ReceiveFull;
                return this[ReceiveData];
            default:
                return this[offset];
            }
        }

        public void WriteDoubleWord(long offset, uint value)
        {
            if(!HasClock)
            {
                this.Log(LogLevel.Error, "a write at 0x{0:x} without a clock", offset);
                return;
            }
            switch(offset)
            {
            case Divisor:
                if((this[Control1] & Enable) != 0)
                {
                    this.Log(LogLevel.Error, "BRR is locked while the port is enabled");
                    return;
                }
                this[Divisor] = value;
                break;
            case ClearStatus:
                status &= ~value;
                break;
            case SendData:
                Send((byte)value);
                break;
            case Status:
            case ReceiveData:
                break;
            default:
                this[offset] = value;
                break;
            }
            StartSend();
        }

        public override void Reset()
        {
            base.Reset();
            values.Clear();
            transfer.Reset();
            status = 0;
            mute = heard = false;
        }

        // 16 samples per bit; OVER8 is not modelled.
        public override uint BaudRate =>
            this[Divisor] < 16 ? 0 : (uint)(rcc.Usart1Clock / (this[Divisor] & 0xffff));

        public override Bits StopBits => (this[Control2] >> 12 & 3) == 0 ? Bits.One : Bits.Two;

        public override Parity ParityBit => (this[Control1] & 1u << 10) != 0 ? Parity.Even : Parity.None;

        public long Size => 0x400;

        protected override void CharWritten()
        {
            while(Count > 0 && TryGetCharacter(out var character))
            {
                if((this[Control3] & 1u << 6) != 0 && dma.Serves(ReceiveChannel, Request, false, Address + ReceiveData))
                {
                    dma.Put(ReceiveChannel, character);
                    continue;
                }
                // If the register is full, the new byte is lost; with OVRDIS it replaces the old one.
                var full = (status & ReceiveFull) != 0;
                if(!full || (this[Control3] & 1u << 12) != 0)
                {
                    this[ReceiveData] = character;
                }
                else
                {
                    status |= Overrun;
                }
                status |= ReceiveFull;
            }
        }

        protected override void QueueEmptied()
        {
        }

        private bool HasClock => rcc.IsEnabled(0x60, 14);

        // Both ends of a ten-bit frame tolerate 2 %; M0, M1, PCE and OVER8 are 0.
        private bool Frames => HasClock && (this[Control1] & Enable) != 0 && Math.Abs((int)BaudRate - Rate) * 50 < Rate &&
            (this[Control1] & 0x10009400) == 0 && StopBits == Bits.One;

        private bool DmaSends => HasClock && (this[Control1] & (Enable | SendEnable)) == (Enable | SendEnable) &&
            (this[Control3] & 1u << 7) != 0 && BaudRate != 0 &&
            dma.Serves(SendChannel, Request, true, Address + SendData);

        private void StartSend()
        {
            if(!transfer.Enabled && DmaSends)
            {
                transfer.Frequency = BaudRate;
                transfer.Limit = 10 * (ulong)dma.Remaining(SendChannel);
                transfer.ResetValue();
                transfer.Enabled = true;
            }
        }

        // Bytes are read from memory as late as possible.
        private void EndSend()
        {
            if(DmaSends)
            {
                for(var left = dma.Remaining(SendChannel); left > 0; --left)
                {
                    Send(dma.Take(SendChannel));
                }
            }
        }

        private void Send(byte value)
        {
            if(Frames && (this[Control1] & SendEnable) != 0 && port.IsFunction(SendPin, Function))
            {
                TransmitCharacter(value);
            }
            else if(!mute)
            {
                mute = true;
                this.Log(LogLevel.Error, "the adapter cannot decode the output: {0} bit/s", BaudRate);
            }
        }

        private uint this[long offset]
        {
            get => values.TryGetValue(offset, out var value) ? value : 0;
            set => values[offset] = value;
        }

        private readonly Stm32L4_Rcc rcc;
        private readonly Stm32L4_Dma dma;
        private readonly Stm32L4_Gpio port;
        private readonly LimitTimer transfer;
        private readonly Dictionary<long, uint> values = new Dictionary<long, uint>();
        private uint status;
        private bool mute; // already logged
        private bool heard;

        private const byte Noise = 0x7e;
        private const uint Enable = 1 << 0;
        private const uint ReceiveEnable = 1 << 2;
        private const uint SendEnable = 1 << 3;
        private const uint Overrun = 1 << 3;
        private const uint ReceiveFull = 1 << 5;
        private const uint TransmitDone = 1 << 6;
        private const uint TransmitEmpty = 1 << 7;
        private const long Control1 = 0x00;
        private const long Control2 = 0x04;
        private const long Control3 = 0x08;
        private const long Divisor = 0x0c;
        private const long Status = 0x1c;
        private const long ClearStatus = 0x20;
        private const uint ReceiveData = 0x24;
        private const uint SendData = 0x28;
    }
}
