// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Nrf52840
{
    using System;

    using Antmicro.Renode.Core;
    using Antmicro.Renode.Logging;
    using Antmicro.Renode.Peripherals.Bus;
    using Antmicro.Renode.Peripherals.GPIOPort;
    using Antmicro.Renode.Peripherals.Timers;
    using Antmicro.Renode.Peripherals.UART;
    using Antmicro.Renode.Time;

    // UARTE (6.34) with an adapter at its pins, which is set to `Rate`, 8N1. A transfer takes as long as on the
    // wire. Bytes get through only if rate, frame and pins match the adapter.
    public class Nrf52840_Uarte : UARTBase, IDoubleWordPeripheral, IKnownSize
    {
        public Nrf52840_Uarte(IMachine machine, NRF52840_GPIO port0, NRF52840_GPIO port1) : base(machine)
        {
            this.machine = machine;
            pins = new Nrf52840_Pins(port0, port1);
            transfer = new LimitTimer(machine.ClockSource, Rate, this, "transfer", limit: 1,
                eventEnabled: true, workMode: WorkMode.OneShot);
            transfer.LimitReached += EndSend;
            Reset();
        }

        // How the board connects the adapter: pin n of port p is 32 p + n.
        public int SendPin { get; set; }
        public int ReceivePin { get; set; }

        // The adapter's rate, in bit/s.
        public int Rate { get; set; } = 115200;

        public override void WriteChar(byte value)
        {
            if(Frames && Nrf52840_Pins.Selects(registers[SelectReceive], ReceivePin) &&
                pins.IsInput(ReceivePin))
            {
                if(!heard && !pins.IsPulledUp(ReceivePin))
                {
                    base.WriteChar(Noise); // noise before the adapter is connected (assumed)
                }
                heard = true;
                base.WriteChar(value);
            }
        }

        public uint ReadDoubleWord(long offset) => registers.Read(offset);

        public void WriteDoubleWord(long offset, uint value)
        {
            switch(offset)
            {
            case TaskStartReceive:
                receiving = Enabled && (value & 1) != 0;
                received = 0;
                Receive();
                break;
            case TaskStopReceive:
                receiving = false;
                registers.Raise(EventReceiveEnded);
                registers.Raise(EventReceiveStopped);
                break;
            case TaskStartSend:
                StartSend();
                break;
            default:
                registers.Write(offset, value);
                break;
            }
        }

        public override void Reset()
        {
            base.Reset();
            registers.Clear();
            registers[Baud] = 0x04000000;
            registers[SelectSend] = registers[SelectReceive] = ~0u;
            transfer.Reset();
            receiving = mute = heard = false;
            sending = null;
        }

        // BAUDRATE is a fraction of 16 MHz, in units of 2^-32. This agrees with the documented values.
        public override uint BaudRate => (uint)((ulong)registers[Baud] * 16000000 >> 32);

        public override Bits StopBits => (registers[Config] & 1u << 4) != 0 ? Bits.Two : Bits.One;

        public override Parity ParityBit => (registers[Config] & 7u << 1) != 0 ? Parity.Even : Parity.None;

        public GPIO IRQ => registers.IRQ;

        public long Size => 0x1000;

        protected override void CharWritten() => Receive();

        protected override void QueueEmptied()
        {
        }

        private bool Enabled => (registers[Enable] & 0xf) == 8;

        // Whether the adapter and the peripheral agree: both ends of a ten-bit frame tolerate 2 %; no
        // parity, no flow control, because nothing drives CTS.
        private bool Frames => Enabled && Math.Abs((int)BaudRate - Rate) * 50 < Rate &&
            (registers[Config] & 0xf) == 0;

        private void Receive()
        {
            while(receiving && Count > 0 && TryGetCharacter(out var character))
            {
                machine.SystemBus.WriteByte(registers[ReceivePointer] + received, character);
                registers[ReceiveAmount] = ++received;
                if(received >= registers[ReceiveCount])
                {
                    receiving = false;
                    registers.Raise(EventReceiveEnded);
                }
            }
        }

        private void StartSend()
        {
            if(!Enabled || BaudRate == 0)
            {
                return;
            }
            sending = machine.SystemBus.ReadBytes(registers[SendPointer], (int)registers[SendCount]);
            transfer.Enabled = false;
            transfer.Frequency = BaudRate;
            transfer.Limit = (ulong)Math.Max(1, 10 * sending.Length);
            transfer.ResetValue();
            transfer.Enabled = true;
        }

        private void EndSend()
        {
            var understood = Frames && Nrf52840_Pins.Selects(registers[SelectSend], SendPin) &&
                pins.IsOutput(SendPin);
            if(!understood && !mute)
            {
                mute = true;
                this.Log(LogLevel.Error, "the adapter cannot decode the output: {0} bit/s, PSEL.TXD {1:x}",
                    BaudRate, registers[SelectSend]);
            }
            if(understood)
            {
                Array.ForEach(sending, TransmitCharacter);
            }
            registers[SendAmount] = (uint)sending.Length;
            registers.Raise(EventSendEnded);
        }

        private readonly IMachine machine;
        private readonly Nrf52840_Pins pins;
        private readonly Nrf52840_Registers registers = new Nrf52840_Registers();
        private readonly LimitTimer transfer;
        private byte[] sending;
        private bool receiving;
        private uint received;
        private bool mute; // already logged
        private bool heard;

        private const byte Noise = 0x7e;
        private const long TaskStartReceive = 0x000;
        private const long TaskStopReceive = 0x004;
        private const long TaskStartSend = 0x008;
        private const long EventReceiveEnded = 0x110;
        private const long EventSendEnded = 0x120;
        private const long EventReceiveStopped = 0x144;
        private const long Enable = 0x500;
        private const long SelectSend = 0x50c;
        private const long SelectReceive = 0x514;
        private const long Baud = 0x524;
        private const long ReceivePointer = 0x534;
        private const long ReceiveCount = 0x538;
        private const long ReceiveAmount = 0x53c;
        private const long SendPointer = 0x544;
        private const long SendCount = 0x548;
        private const long SendAmount = 0x54c;
        private const long Config = 0x56c;
    }
}
