// What Renode 1.15.3 lacks of Ambiq's Apollo3 Blue. Source of registers and bits: the vendor's SVD
// file; of what it leaves open: Apollo3 Blue Datasheet DS-A3-0p9p1 (sections are named) and the
// vendor's AmbiqSuite SDK 2.x. What no source tells is marked with "assumed".
// Registers without a function here read as they were written.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

using Antmicro.Renode.Core;
using Antmicro.Renode.Exceptions;
using Antmicro.Renode.Logging;
using Antmicro.Renode.Peripherals.Bus;
using Antmicro.Renode.Peripherals.CPU;
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

    // CLKGEN: the burst mode, in which the core runs twice as fast and nothing else does. The divider
    // of CCTRL is not modelled: the core runs as if firmware had switched it off.
    public class Apollo3_Clocks : Apollo3Registers
    {
        public Apollo3_Clocks(IMachine machine, BaseCPU cpu, Apollo3_Control control)
        {
            this.machine = machine;
            this.cpu = cpu;
            this.control = control;
        }

        public override void WriteDoubleWord(long offset, uint value)
        {
            if(offset != FrequencyControl)
            {
                base.WriteDoubleWord(offset, value);
                return;
            }
            // BURSTREQ is always acknowledged, and granted where MCUCTRL has the feature enabled.
            var granted = (value & 1) != 0 && control.BurstEnabled;
            base.WriteDoubleWord(offset, (value & 1) | (value & 1) << 1 | (granted ? 4u : 0));
            // Not in the midst of what the core was granted: within a quantum.
            machine.LocalTimeSource.ExecuteInNearestSyncedState(
                _ => cpu.PerformanceInMips = granted ? 2 * NormalMips : NormalMips);
        }

        public override void Reset()
        {
            base.Reset();
            cpu.PerformanceInMips = NormalMips;
        }

        private readonly IMachine machine;
        private readonly BaseCPU cpu;
        private readonly Apollo3_Control control;

        private const long FrequencyControl = 0x34;
        private const uint NormalMips = 48;
    }

    // MCUCTRL: a chip that has the burst mode.
    public class Apollo3_Control : Apollo3Registers
    {
        public override uint ReadDoubleWord(long offset)
        {
            var value = base.ReadDoubleWord(offset);
            switch(offset)
            {
            case 0x14: // SKU: ALLOWBURST
                return 1;
            case FeatureEnable: // BURSTREQ gives BURSTACK and BURSTAVAIL
                return (value & 1u << 4) != 0 ? value | 3u << 5 : value;
            default:
                return value;
            }
        }

        public bool BurstEnabled => (base.ReadDoubleWord(FeatureEnable) & 1u << 4) != 0;

        private const long FeatureEnable = 0x18;
    }

    // CTIMER: the 16 halves A0, B0, A1 ... B7, each 16 bits from HFRC, counting once or repeatedly to
    // its CMPR0, with that interrupt; A3 triggers the ADC. The system timer counts; its compare
    // registers are not modelled.
    public class Apollo3_Timers : Apollo3Registers
    {
        public Apollo3_Timers(IMachine machine)
        {
            this.machine = machine;
            IRQ = new GPIO();
            for(var i = 0; i < halves.Length; ++i)
            {
                halves[i] = new Half(this, machine, i);
            }
        }

        public override uint ReadDoubleWord(long offset)
        {
            switch(offset)
            {
            case 0x144: // STTMR
                return (uint)Count(systemStart, systemFrequency) + systemHeld;
            case 0x204: // INTSTAT
                return pending;
            default:
                if(offset < 0x100 && offset % 0x20 == 0) // TMR
                {
                    return halves[offset / 0x10].Value | halves[offset / 0x10 + 1].Value << 16;
                }
                return base.ReadDoubleWord(offset);
            }
        }

        public override void WriteDoubleWord(long offset, uint value)
        {
            var before = base.ReadDoubleWord(offset);
            base.WriteDoubleWord(offset, value);
            switch(offset)
            {
            case 0x140: // STCFG: FREEZE, CLEAR, CLKSEL
                if((value & 1u << 30) != 0)
                {
                    systemHeld = 0;
                }
                else
                {
                    systemHeld += (uint)Count(systemStart, systemFrequency);
                }
                systemStart = Now;
                systemFrequency = (value & 3u << 30) == 0 ? SystemFrequency(value & 0xf) : 0;
                break;
            case 0x200: // INTEN
                Update();
                break;
            case 0x208: // INTCLR
                pending &= ~value;
                Update();
                break;
            case 0x20c: // INTSET
                pending |= value;
                Update();
                break;
            default:
                if(offset < 0x100 && offset % 0x20 == 0xc && value != before) // CTRL
                {
                    halves[offset / 0x10].Configure(value & 0xffff);
                    halves[offset / 0x10 + 1].Configure(value >> 16);
                    if(offset == 0x6c)
                    {
                        TriggerChanged?.Invoke();
                    }
                }
                break;
            }
        }

        public override void Reset()
        {
            base.Reset();
            foreach(var half in halves)
            {
                half.Configure(0);
            }
            pending = systemHeld = 0;
            systemFrequency = 0;
            Update();
            TriggerChanged?.Invoke();
        }

        // Of the ADC's trigger, in Hz; 0: none.
        public long TriggerFrequency => (base.ReadDoubleWord(0x6c) & 1 << 15) != 0 ? halves[6].Repeats : 0;

        public event Action TriggerChanged;

        public GPIO IRQ { get; }

        private static long HalfFrequency(uint select)
        {
            var dividers = new long[] { 0, 4, 16, 256, 1024, 4096 };
            return select > 0 && select < dividers.Length ? Hfrc / dividers[select] : 0;
        }

        private long SystemFrequency(uint select)
        {
            var frequencies = new long[] { 0, Hfrc / 16, Hfrc / 256, 32768, 16384, 1024, 1024 };
            if(select < frequencies.Length)
            {
                return frequencies[select];
            }
            this.Log(LogLevel.Error, "STCFG: clock {0} is not modelled", select);
            return 0;
        }

        private ulong Now
        {
            get
            {
                if(machine.SystemBus.TryGetCurrentCPU(out var cpu))
                {
                    cpu.SyncTime();
                }
                return machine.ClockSource.CurrentValue.Ticks;
            }
        }

        private ulong Count(ulong start, long frequency)
        {
            // In two steps, so that 64 bits suffice for years.
            var ticks = Now - start;
            var second = TimeInterval.TicksPerSecond;
            return ticks / second * (ulong)frequency + ticks % second * (ulong)frequency / second;
        }

        private void Update()
        {
            IRQ.Set((pending & base.ReadDoubleWord(0x200)) != 0);
        }

        private class Half
        {
            public Half(Apollo3_Timers parent, IMachine machine, int number)
            {
                this.parent = parent;
                this.number = number;
                timer = new LimitTimer(machine.ClockSource, Hfrc, parent, "half" + number, limit: 1,
                    eventEnabled: true);
                timer.LimitReached += () =>
                {
                    parent.pending |= 1u << number;
                    parent.Update();
                };
            }

            // CTRL's 16 bits of this half.
            public void Configure(uint control)
            {
                var runs = (control & 1) != 0 && (control & Clear) == 0;
                if((control & Clear) != 0)
                {
                    held = 0;
                }
                else if(frequency != 0)
                {
                    held = Value;
                }
                frequency = runs ? HalfFrequency(control >> 1 & 0x1f) : 0;
                function = control >> 6 & 7;
                start = parent.Now;
                timer.Enabled = false;
                if(runs && (frequency == 0 || function > RepeatedCount))
                {
                    parent.Log(LogLevel.Error, "CTRL of half {0}: clock or function is not modelled", number);
                    frequency = 0;
                }
                // A half that interrupts nobody costs no time of the emulation.
                if(frequency != 0 && (control & InterruptEnable) != 0)
                {
                    timer.Frequency = frequency;
                    timer.Mode = function == RepeatedCount ? WorkMode.Periodic : WorkMode.OneShot;
                    timer.Limit = Period;
                    timer.ResetValue();
                    timer.Enabled = true;
                }
            }

            public uint Value
            {
                get
                {
                    if(frequency == 0)
                    {
                        return held;
                    }
                    var count = held + parent.Count(start, frequency);
                    return (uint)(function == RepeatedCount ? count % Period : Math.Min(count, Period - 1));
                }
            }

            // How often a second it reaches its end; 0: never again.
            public long Repeats => function == RepeatedCount ? frequency / (long)Period : 0;

            private ulong Period
            {
                get
                {
                    // CMPRA at 4, CMPRB at 8; the lower half is CMPR0.
                    var register = number / 2 * 0x20 + 4 + number % 2 * 4;
                    return (parent.values.TryGetValue(register, out var value) ? value & 0xffff : 0) + 1;
                }
            }

            private readonly Apollo3_Timers parent;
            private readonly int number;
            private readonly LimitTimer timer;
            private long frequency;
            private uint function;
            private ulong start;
            private uint held;

            private const uint RepeatedCount = 1;
            private const uint InterruptEnable = 1 << 9;
            private const uint Clear = 1 << 11;
        }

        private readonly IMachine machine;
        private readonly Half[] halves = new Half[16];
        private uint pending;
        private ulong systemStart;
        private long systemFrequency;
        private uint systemHeld;

        private const long Hfrc = 48000000;
    }

    // The ADC: eight slots, the FIFO, its DMA. What its inputs hear comes from files. Software triggers
    // a scan, which takes a measurement for each enabled slot; with RPTEN timer A3 triggers the next
    // ones. A slot's result goes into the FIFO when it has as many measurements as it averages
    // (18.2.6; that each takes a trigger of its own is assumed).
    //
    // Scans are not events of the emulation: they are made up for when somebody looks, an interrupt
    // is due or a DMA transfer ends. Memory sees a transfer's words then, together.
    public class Apollo3_Adc : Apollo3Registers
    {
        public Apollo3_Adc(IMachine machine, Apollo3_Timers timers)
        {
            this.machine = machine;
            this.timers = timers;
            IRQ = new GPIO();
            triggers = new ComparingTimer(machine.ClockSource, Rate, this, "triggers", eventEnabled: true,
                limit: long.MaxValue, compare: long.MaxValue);
            triggers.CompareReached += () => Advance(plan: true);
            timers.TriggerChanged += () => Retrigger();
        }

        // Raw samples for `input`, 0 to 9, or for all (-1), after those that it has: signed 16 bits,
        // little-endian, 16 kHz. After the last one, and where there is no file, it is quiet.
        public void SetInputFile(string path, int input = -1)
        {
            if(!File.Exists(path))
            {
                throw new RecoverableException($"{path}: no such file");
            }
            var bytes = File.ReadAllBytes(path);
            for(var i = 0; i < inputs.Length; ++i)
            {
                if(input == i || input == -1)
                {
                    inputs[i] = (inputs[i] ?? new byte[0]).Concat(bytes).ToArray();
                }
            }
            // A board whose microphones are dead is one that no file was given.
            Retrigger();
        }

        // Of a sample of 1 in the files: so many tenths of the converter's least step.
        public int Level { get; set; } = 1;

        // What the inputs rest at, in the converter's 16384 steps.
        public int Rest { get; set; } = 8192;

        // Results that found the FIFO full.
        public ulong Lost { get; private set; }

        public override uint ReadDoubleWord(long offset)
        {
            Advance(plan: false);
            switch(offset)
            {
            case 0x38: // FIFO
                return Front;
            case 0x3c: // FIFOPR
                var front = Front;
                if((base.ReadDoubleWord(0) & 1 << 12) != 0) // DFIFORDEN
                {
                    Pop();
                }
                return front;
            case 0x204: // INTSTAT
                return pending;
            default:
                return base.ReadDoubleWord(offset);
            }
        }

        public override void WriteDoubleWord(long offset, uint value)
        {
            Advance(plan: false);
            base.WriteDoubleWord(offset, value);
            switch(offset)
            {
            case 0x00: // CFG
                if((value & 1) == 0)
                {
                    Stop();
                }
                ReadSlots();
                Retrigger();
                break;
            case 0x08: // SWT
                if(value == 0x37 && (base.ReadDoubleWord(0) & 1) != 0 && Heard)
                {
                    var first = !started;
                    started = true;
                    if(first || (base.ReadDoubleWord(0) & Repeat) == 0)
                    {
                        Scan();
                    }
                    Retrigger();
                }
                break;
            case 0x38: // FIFO
                Pop();
                break;
            case 0x200: // INTEN
                Update();
                break;
            case 0x208: // INTCLR
                pending &= ~value;
                Update();
                break;
            case 0x20c: // INTSET
                pending |= value;
                Update();
                break;
            case 0x280: // DMACFG
                if((value & 1) != 0 && target == null)
                {
                    target = base.ReadDoubleWord(0x28c);
                    wordsLeft = base.ReadDoubleWord(0x288) >> 2 & 0xffff;
                }
                if((value & 1) == 0)
                {
                    target = null;
                }
                Transfer();
                Update();
                break;
            }
            Plan();
        }

        public override void Reset()
        {
            base.Reset();
            triggers.Reset();
            Stop();
            Array.Clear(inputs, 0, inputs.Length);
            target = null;
            moved.Clear();
            pending = 0;
            Lost = 0;
            Update();
        }

        public GPIO IRQ { get; }

        private bool Heard => Array.Exists(inputs, input => input != null);

        private uint Front => fifo.Count > 0 ? fifo.Peek() | (uint)fifo.Count << 20 : 0;

        // The slots must not change while the ADC is enabled (SVD, CFG.ADCEN).
        private void ReadSlots()
        {
            slots.Clear();
            for(var slot = 0; slot < 8; ++slot)
            {
                var config = base.ReadDoubleWord(0x0c + 4 * slot);
                if((config & 1) != 0)
                {
                    slots.Add(new Slot(slot, config));
                }
            }
        }

        // The files begin anew and the FIFO is empty (assumed) when it is enabled again.
        private void Stop()
        {
            triggers.Enabled = started = false;
            triggers.Value = scans = made = 0;
            fifo.Clear();
            slots.Clear();
        }

        // After whatever may start, stop or change the triggers.
        private void Retrigger()
        {
            Advance(plan: false);
            frequency = timers.TriggerFrequency;
            var runs = started && frequency != 0 && Heard && (base.ReadDoubleWord(0) & Repeat) != 0;
            if(runs && triggers.Frequency != frequency)
            {
                triggers.Frequency = frequency;
            }
            triggers.Enabled = runs;
            Plan();
        }

        // Makes up for the scans that were due.
        private void Advance(bool plan)
        {
            if(!triggers.Enabled)
            {
                return;
            }
            if(machine.SystemBus.TryGetCurrentCPU(out var cpu))
            {
                cpu.SyncTime();
            }
            var due = triggers.Value;
            while(made < due)
            {
                ++made;
                Scan();
            }
            Update();
            if(plan)
            {
                Plan();
            }
        }

        // When to look again, at the latest.
        private void Plan()
        {
            if(!triggers.Enabled)
            {
                return;
            }
            var results = Math.Max(1, slots.Count); // a scan's, at most
            var enabled = base.ReadDoubleWord(0x200);
            long wait = 1 << 12;
            if(target != null)
            {
                var missing = Math.Max(wordsLeft, TransferLevel) - fifo.Count;
                wait = Math.Min(wait, (missing + results - 1) / results);
            }
            foreach(var level in new[] { ThreeQuarters, FifoSize })
            {
                var interrupt = level == FifoSize ? FifoFull : Fifo75;
                if((enabled & interrupt) != 0 && fifo.Count < level)
                {
                    wait = Math.Min(wait, (level - fifo.Count + results - 1) / results);
                }
            }
            if((enabled & (ScanComplete | ConversionComplete)) != 0)
            {
                wait = 1;
            }
            triggers.Compare = made + (ulong)Math.Max(1, wait);
        }


        private void Scan()
        {
            var sample = (long)(scans * Rate / (ulong)Math.Max(1, frequency));
            var number = (int)(scans * (ulong)slots.Count % 10);
            foreach(var slot in slots)
            {
                Measure(slot, sample, number++);
            }
            ++scans;
            pending |= ScanComplete;
            Transfer();
        }

        private void Measure(Slot slot, long sample, int number)
        {
            slot.Sum += Convert(slot.Input, sample, number) >> slot.Dropped << slot.Dropped;
            if(++slot.Measurements < 1 << slot.Average)
            {
                return;
            }
            var data = slot.Average < 7 ? slot.Sum << 6 - slot.Average : slot.Sum >> 1; // 14.6 (18.2.6)
            slot.Sum = 0;
            slot.Measurements = 0;
            pending |= ConversionComplete;
            if(fifo.Count == FifoSize)
            {
                if(Lost++ == 0)
                {
                    this.Log(LogLevel.Error, "results are lost: the FIFO is full");
                }
                return;
            }
            fifo.Enqueue(slot.Tag | data);
            pending |= fifo.Count >= ThreeQuarters ? Fifo75 : 0;
            pending |= fifo.Count == FifoSize ? FifoFull : 0;
        }

        // Of the converter's 14 bits the sample needs more than there are: conversions are dithered,
        // evenly over ten of them in a row, as the microphone's noise does it, so that what is finer
        // than a step is in their sum.
        private uint Convert(int input, long sample, int number)
        {
            var bytes = input < inputs.Length ? inputs[input] : null;
            var tenths = Rest * 10 + number % 10;
            if(bytes != null && sample < bytes.Length / 2)
            {
                tenths += (short)(bytes[2 * sample] | bytes[2 * sample + 1] << 8) * Level;
            }
            return (uint)Math.Max(0, Math.Min(Steps - 1, tenths / 10));
        }

        private void Pop()
        {
            if(fifo.Count > 0)
            {
                fifo.Dequeue();
            }
        }

        private int TransferLevel => (base.ReadDoubleWord(0x240) & 1) != 0 ? ThreeQuarters : FifoSize;

        // Empties the FIFO when it is as full as DMATRIGEN says, or stops at the end of the transfer:
        // what is left in the FIFO then waits for the next one (assumed).
        private void Transfer()
        {
            if(target == null || (base.ReadDoubleWord(0x240) & 3) == 0 || fifo.Count < TransferLevel)
            {
                return;
            }
            var mask = (base.ReadDoubleWord(0x280) & 1 << 17) != 0; // DMAMSK
            while(fifo.Count > 0 && wordsLeft > 0)
            {
                var word = mask ? Front & 0xfffff : Front;
                moved.AddRange(BitConverter.GetBytes(word));
                Pop();
                --wordsLeft;
            }
            if(wordsLeft == 0)
            {
                machine.SystemBus.WriteBytes(moved.ToArray(), target.Value);
                moved.Clear();
                target = null;
                values[0x290] = 2; // DMASTAT: DMACPL
                pending |= DmaComplete;
            }
        }

        private void Update()
        {
            IRQ.Set((pending & base.ReadDoubleWord(0x200)) != 0);
        }

        private class Slot
        {
            public Slot(int number, uint config)
            {
                Tag = (uint)number << 28;
                Input = (int)(config >> 8 & 0xf);
                Dropped = (int)(config >> 16 & 3) * 2; // bits, of 14
                Average = (int)(config >> 24 & 7);     // power of two
            }

            public uint Tag { get; }
            public int Input { get; }
            public int Dropped { get; }
            public int Average { get; }
            public uint Sum;
            public int Measurements;
        }

        private readonly IMachine machine;
        private readonly Apollo3_Timers timers;
        private readonly ComparingTimer triggers;
        private readonly List<Slot> slots = new List<Slot>();
        private readonly Queue<uint> fifo = new Queue<uint>();
        private readonly List<byte> moved = new List<byte>();
        private readonly byte[][] inputs = new byte[10][];
        private ulong? target; // of a transfer that is not complete
        private long wordsLeft;
        private long frequency; // of the triggers
        private bool started;
        private uint pending;
        private ulong scans;
        private ulong made; // those of timer A3

        private const int Rate = 16000;
        private const int Steps = 1 << 14;
        private const int FifoSize = 16; // 18.2.7
        private const int ThreeQuarters = 12;
        private const uint Repeat = 1 << 2;
        private const uint ConversionComplete = 1 << 0;
        private const uint ScanComplete = 1 << 1;
        private const uint Fifo75 = 1 << 2;
        private const uint FifoFull = 1 << 3;
        private const uint DmaComplete = 1 << 6;
    }

    // The pins: outputs that push and pull, and inputs.
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

    // Resets the machine.
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
                    resets.Cause = Apollo3_Resets.Watchdog;
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
            var clock = config >> 24 & 7;
            timer.Enabled = false;
            if((config & 1) != 0 && clock > 0 && clock < 4)
            {
                timer.Frequency = new long[] { 0, 128, 16, 1 }[clock];
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

    // RSTGEN. STAT is registered apart, at a page of its own.
    public class Apollo3_Resets : Apollo3Registers
    {
        public bool ByWatchdog => (base.ReadDoubleWord(0) & 2) != 0;

        // Of the reset that comes next; of itself it is one by software.
        public uint Cause { private get; set; } = Software;

        public uint Status { get; private set; } = PowerOn;

        public override void Reset()
        {
            base.Reset();
            Status = Cause;
            Cause = Software;
        }

        public const uint PowerOn = 1 << 1;
        public const uint Software = 1 << 3;
        public const uint Watchdog = 1 << 6;
    }

    public class Apollo3_ResetStatus : Apollo3Registers
    {
        public Apollo3_ResetStatus(Apollo3_Resets resets)
        {
            this.resets = resets;
        }

        public override uint ReadDoubleWord(long offset)
        {
            return offset == 0 ? resets.Status : 0;
        }

        private readonly Apollo3_Resets resets;
    }
}
