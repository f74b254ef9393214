// What Renode 1.15.3 lacks of Ambiq's Apollo3 Blue, as far as kws uses it. Source of registers and
// bits: the vendor's SVD file and, for what it leaves open, the vendor's AmbiqSuite SDK 2.x.
// Registers without a function here read as they were written.
using System;
using System.Collections.Generic;
using System.IO;

using Antmicro.Renode.Core;
using Antmicro.Renode.Exceptions;
using Antmicro.Renode.Logging;
using Antmicro.Renode.Peripherals.Bus;
using Antmicro.Renode.Peripherals.GPIOPort;
using Antmicro.Renode.Peripherals.Timers;
using Antmicro.Renode.Time;

namespace Antmicro.Renode.Peripherals.Apollo3
{
    // Registers that are no more than memory, but for what a class adds.
    public abstract class Apollo3Registers : IDoubleWordPeripheral, IKnownSize
    {
        public virtual uint ReadDoubleWord(long offset)
        {
            return values.TryGetValue(offset, out var value) ? value : 0;
        }

        public virtual void WriteDoubleWord(long offset, uint value)
        {
            values[offset] = value;
        }

        public virtual void Reset()
        {
            values.Clear();
        }

        public virtual long Size => 0x1000;

        protected readonly Dictionary<long, uint> values = new Dictionary<long, uint>();
    }

    // DEVPWRSTATUS follows DEVPWREN at once.
    public class Apollo3_Power : Apollo3Registers
    {
        public override uint ReadDoubleWord(long offset)
        {
            if(offset != 0x18)
            {
                return base.ReadDoubleWord(offset);
            }
            var enabled = base.ReadDoubleWord(0x8);
            var status = 3u;                                  // MCUL, MCUH
            status |= (enabled & 0x0581) != 0 ? 1u << 2 : 0;  // HCPA: IOS, UART0, UART1, SCARD
            status |= (enabled & 1u << 9) != 0 ? 1u << 5 : 0; // ADC
            return status;
        }
    }

    // Timers A0 and A3 repeating, of which A3 triggers the ADC, and the system timer, from 48 MHz.
    public class Apollo3_Timers : Apollo3Registers
    {
        public Apollo3_Timers(IMachine machine)
        {
            this.machine = machine;
            IRQ = new GPIO();
            wake = new LimitTimer(machine.ClockSource, 48000000, this, "A0", eventEnabled: true,
                limit: 1, workMode: WorkMode.Periodic);
            wake.LimitReached += () =>
            {
                pending |= 1;
                Update();
            };
            system = new LimitTimer(machine.ClockSource, 3000000, this, "system", limit: uint.MaxValue,
                direction: Direction.Ascending, workMode: WorkMode.Periodic);
        }

        public override uint ReadDoubleWord(long offset)
        {
            switch(offset)
            {
            case 0x144: // STTMR
                if(machine.SystemBus.TryGetCurrentCPU(out var cpu))
                {
                    cpu.SyncTime();
                }
                return (uint)system.Value;
            case 0x204: // INTSTAT
                return pending;
            default:
                return base.ReadDoubleWord(offset);
            }
        }

        public override void WriteDoubleWord(long offset, uint value)
        {
            base.WriteDoubleWord(offset, value);
            switch(offset)
            {
            case 0x0c: // CTRL0
                wake.Enabled = false;
                var frequency = Frequency(value);
                if(frequency != 0 && (value & 1) != 0 && (value >> 6 & 7) == 1)
                {
                    wake.Frequency = frequency;
                    wake.Limit = (base.ReadDoubleWord(0x04) & 0xffff) + 1;
                    wake.ResetValue();
                    wake.Enabled = (value & 1 << 9) != 0; // its interrupt is all that is seen of it
                }
                break;
            case 0x140: // STCFG
                if((value & 1 << 30) != 0)
                {
                    system.ResetValue();
                }
                if((value & 0xf) > 1)
                {
                    this.Log(LogLevel.Error, "STIMER: only HFRC_DIV16 is modelled");
                }
                system.Enabled = (value & 3u << 30) == 0 && (value & 0xf) == 1;
                break;
            case 0x200:
                Update();
                break;
            case 0x208: // INTCLR
                pending &= ~value;
                Update();
                break;
            }
        }

        public override void Reset()
        {
            base.Reset();
            wake.Reset();
            system.Reset();
            pending = 0;
            Update();
        }

        // Of the ADC's trigger, in Hz; 0: none.
        public long TriggerFrequency
        {
            get
            {
                var control = base.ReadDoubleWord(0x6c);
                var runs = (control & 1) != 0 && (control & 1 << 15) != 0 && (control >> 6 & 7) == 1;
                return runs ? Frequency(control) / ((base.ReadDoubleWord(0x64) & 0xffff) + 1) : 0;
            }
        }

        public GPIO IRQ { get; }

        private static long Frequency(uint control)
        {
            var dividers = new Dictionary<uint, long> { { 1, 4 }, { 2, 16 }, { 3, 256 }, { 4, 1024 } };
            return dividers.TryGetValue(control >> 1 & 0x1f, out var divider) ? 48000000 / divider : 0;
        }

        private void Update()
        {
            IRQ.Set((pending & base.ReadDoubleWord(0x200)) != 0);
        }

        private readonly IMachine machine;
        private readonly LimitTimer wake;
        private readonly LimitTimer system;
        private uint pending;
    }

    // Scans are triggered by timer A3 after the first, which software triggers. Their results come
    // into memory by DMA when its count is reached; the FIFO of 16 is seen only where the DMA was
    // not armed again before the next scan would have overrun it: then samples are lost, and said.
    public class Apollo3_Adc : Apollo3Registers
    {
        public Apollo3_Adc(IMachine machine, Apollo3_Timers timers)
        {
            this.machine = machine;
            this.timers = timers;
            IRQ = new GPIO();
            transfer = new LimitTimer(machine.ClockSource, 16000, this, "scans", limit: 1,
                eventEnabled: true, workMode: WorkMode.Periodic);
            transfer.LimitReached += Complete;
        }

        // Raw samples: signed 16 bits, little-endian; both microphones hear them. Full scale of a
        // sample is a quarter of the ADC's range, around its middle.
        public void SetInputFile(string path)
        {
            if(!File.Exists(path))
            {
                throw new RecoverableException($"{path}: no such file");
            }
            input = File.ReadAllBytes(path);
            position = 0;
        }

        public override void WriteDoubleWord(long offset, uint value)
        {
            base.WriteDoubleWord(offset, value);
            switch(offset)
            {
            case 0x00: // CFG
                if((value & 1) == 0)
                {
                    transfer.Enabled = false;
                }
                break;
            case 0x08: // SWT
                if(value == 0x37 && (base.ReadDoubleWord(0x00) & 1) != 0)
                {
                    Start();
                }
                break;
            case 0x200:
                Update();
                break;
            case 0x208: // INTCLR
                pending &= ~value;
                Update();
                break;
            }
        }

        public override uint ReadDoubleWord(long offset)
        {
            return offset == 0x204 ? pending : base.ReadDoubleWord(offset);
        }

        public override void Reset()
        {
            base.Reset();
            transfer.Reset();
            pending = 0;
            input = null;
            Update();
        }

        public GPIO IRQ { get; }

        private void Start()
        {
            var slots = Slots();
            var frequency = timers.TriggerFrequency;
            if(input == null || slots.Count == 0 || frequency == 0)
            {
                this.Log(LogLevel.Warning, "no scans: {0}", input == null ? "no input file" : "no slot or trigger");
                return;
            }
            transfer.Frequency = frequency;
            transfer.Limit = (base.ReadDoubleWord(0x288) / 4) / (ulong)slots.Count;
            transfer.ResetValue();
            transfer.Enabled = true;
        }

        private List<uint> Slots()
        {
            var slots = new List<uint>();
            for(var slot = 0u; slot < 8; ++slot)
            {
                if((base.ReadDoubleWord(0x0c + 4 * slot) & 1) != 0)
                {
                    slots.Add(slot);
                }
            }
            return slots;
        }

        private void Complete()
        {
            var slots = Slots();
            var scans = transfer.Limit;
            var armed = (base.ReadDoubleWord(0x280) & 1) != 0 && (base.ReadDoubleWord(0x290) & 2) == 0;
            var target = base.ReadDoubleWord(0x28c);
            for(var scan = 0ul; scan < scans; ++scan)
            {
                var data = Next();
                foreach(var slot in slots)
                {
                    if(armed)
                    {
                        machine.SystemBus.WriteDoubleWord(target, slot << 28 | data);
                        target += 4;
                    }
                }
            }
            if(armed)
            {
                values[0x290] = 2; // DMACPL
                pending |= 1 << 6; // DCMP
            }
            else
            {
                this.Log(LogLevel.Error, "samples were lost: the DMA was not armed in time");
                pending |= 1 << 3; // FIFOOVR2
            }
            Update();
        }

        // The average of 16 conversions has 18 bits of the 20.
        private uint Next()
        {
            var sample = 0;
            if(position + 1 < input.Length)
            {
                sample = (short)(input[position] | input[position + 1] << 8);
                position += 2;
            }
            return (uint)((1 << 19) + sample * 4);
        }

        private void Update()
        {
            IRQ.Set((pending & base.ReadDoubleWord(0x200)) != 0);
        }

        private readonly IMachine machine;
        private readonly Apollo3_Timers timers;
        private readonly LimitTimer transfer;
        private byte[] input;
        private int position;
        private uint pending;
    }

    // The outputs.
    public class Apollo3_Gpio : BaseGPIOPort, IDoubleWordPeripheral, IKnownSize
    {
        public Apollo3_Gpio(IMachine machine) : base(machine, 50)
        {
        }

        public uint ReadDoubleWord(long offset)
        {
            return values.TryGetValue(offset, out var value) ? value : 0;
        }

        public void WriteDoubleWord(long offset, uint value)
        {
            switch(offset)
            {
            case 0x88: // WTA, WTB, then the same to set and to clear
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
                // Pads and pins take a write only while PADKEY is 0x73.
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

        public long Size => 0x1000;

        private void Write(long offset, uint value)
        {
            values[offset] = value;
            for(var pin = 0; pin < 50; ++pin)
            {
                Drive(pin);
            }
        }

        // A pin is high where its pad is GPIO's, its output push-pull, and its bit set.
        private void Drive(int pin)
        {
            var gpio = (ReadDoubleWord(pin / 4 * 4) >> pin % 4 * 8 + 3 & 7) == 3;
            var output = (ReadDoubleWord(0x40 + pin / 8 * 4) >> pin % 8 * 4 + 1 & 3) == 1;
            var bit = (ReadDoubleWord(0x88 + pin / 32 * 4) >> pin % 32 & 1) != 0;
            Connections[pin].Set(gpio && output && bit);
        }

        private readonly Dictionary<long, uint> values = new Dictionary<long, uint>();
    }

    // Resets the machine; RSTGEN.STAT then says so.
    public class Apollo3_Watchdog : Apollo3Registers
    {
        public Apollo3_Watchdog(IMachine machine, Apollo3_Resets resets)
        {
            timer = new LimitTimer(machine.ClockSource, 128, this, "watchdog", limit: 1,
                eventEnabled: true, workMode: WorkMode.OneShot);
            timer.LimitReached += () =>
            {
                if((base.ReadDoubleWord(0) & 4) != 0 && resets.ByWatchdog)
                {
                    this.Log(LogLevel.Warning, "the watchdog resets the machine");
                    resets.Watchdog = true;
                    machine.RequestReset();
                }
            };
        }

        public override void WriteDoubleWord(long offset, uint value)
        {
            base.WriteDoubleWord(offset, value);
            var config = base.ReadDoubleWord(0);
            if(offset > 4 || (offset == 4 && value != 0xb2))
            {
                return;
            }
            var frequencies = new long[] { 0, 128, 16, 1 };
            var clock = config >> 24 & 7;
            timer.Enabled = false;
            if((config & 1) != 0 && clock > 0 && clock < 4)
            {
                timer.Frequency = frequencies[clock];
                timer.Limit = Math.Max(1, config >> 8 & 0xff);
                timer.ResetValue();
                timer.Enabled = true;
            }
        }

        public override void Reset()
        {
            base.Reset();
            timer.Reset();
        }

        private readonly LimitTimer timer;
    }

    // RSTGEN; STAT is registered apart, at its own page.
    public class Apollo3_Resets : Apollo3Registers
    {
        public bool ByWatchdog => (base.ReadDoubleWord(0) & 2) != 0;

        public bool Watchdog { get; set; }
    }

    public class Apollo3_ResetStatus : Apollo3Registers
    {
        public Apollo3_ResetStatus(Apollo3_Resets resets)
        {
            this.resets = resets;
        }

        public override uint ReadDoubleWord(long offset)
        {
            return offset == 0 ? (resets.Watchdog ? 1u << 6 : 2u) : 0;
        }

        private readonly Apollo3_Resets resets;
    }
}
