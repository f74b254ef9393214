// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Apollo3
{
    using System;
    using System.Collections.Generic;
    using System.IO;
    using System.Linq;

    using Antmicro.Renode.Core;
    using Antmicro.Renode.Exceptions;
    using Antmicro.Renode.Logging;
    using Antmicro.Renode.Peripherals.Bus;
    using Antmicro.Renode.Peripherals.Timers;

    // The ADC: eight slots, the FIFO, its DMA. Sound at its inputs comes from files; an input without a
    // microphone measures 0 (assumed). Software triggers a scan, which takes a measurement for each
    // enabled slot; with RPTEN, timer A3 triggers the next ones. Without power or clock, nothing happens. A
    // slot's result goes into the FIFO after all the measurements that it averages (18.2.6; assumed: each
    // measurement needs its own trigger).
    //
    // Scans are not emulation events: they are computed when a register is read, an interrupt is due, or the
    // DMA has enough data for a burst. A burst's words are written to memory on time, so that a driver that
    // reads a block while the next one is written is detected.
    public class Apollo3_Adc : Apollo3Registers
    {
        public Apollo3_Adc(IMachine machine, Apollo3_Timers timers, Apollo3_Power power,
            Apollo3_Gpio gpio)
        {
            this.machine = machine;
            this.timers = timers;
            this.power = power;
            this.gpio = gpio;
            IRQ = new GPIO();
            triggers = new ComparingTimer(machine.ClockSource, Rate, this, "triggers", eventEnabled: true,
                limit: long.MaxValue, compare: long.MaxValue);
            triggers.CompareReached += () => Advance(plan: true);
            timers.TriggerChanged += () => Retrigger();
        }

        // Appends raw samples for `input` (0 to 9), or for all inputs with a microphone (-1): signed 16 bits,
        // little-endian, 16 kHz. The input is silent after the last sample, or without a file.
        public void SetInputFile(string path, int input = -1)
        {
            if(!File.Exists(path))
            {
                throw new RecoverableException($"{path}: no such file");
            }
            var bytes = File.ReadAllBytes(path);
            for(var i = 0; i < inputs.Length; ++i)
            {
                if(input == i || (input == -1 && (Microphones >> i & 1) != 0))
                {
                    inputs[i] = (inputs[i] ?? new byte[0]).Concat(bytes).ToArray();
                }
            }
            // Without a file, the board's microphones are dead.
            Retrigger();
        }

        // Tenths of the converter's smallest step per sample value of 1 in the files.
        public int Level { get; set; } = 1;

        // Resting value of the microphones, in the converter's 16384 steps, as measured on boards: far
        // from the middle, so that a driver has an offset to remove.
        public int Rest { get; set; } = 6003;

        // Bit n: input n has a microphone.
        public uint Microphones { get; set; }

        // Results lost because the FIFO was full.
        public ulong Lost { get; private set; }

        public override uint ReadDoubleWord(long offset)
        {
            if(!power.Adc)
            {
                return 0;
            }
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
            if(!power.Adc)
            {
                return;
            }
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
                if(value == 0x37 && Runs && TriggeredBySoftware && Heard)
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

        // Ends the transfer with an error, as a bus error would.
        public void FailDma()
        {
            target = null;
            values[0x290] = 4; // DMASTAT: DMAERR
            pending |= DmaError;
            Update();
        }

        public override void Reset()
        {
            base.Reset();
            triggers.Reset();
            Stop();
            Array.Clear(inputs, 0, inputs.Length);
            target = null;
            pending = 0;
            Lost = 0;
            Update();
        }

        public GPIO IRQ { get; }

        // CFG: ADCEN, and a clock that CLKSEL selects: HFRC or half of it.
        private bool Runs => (Config & 1) != 0 && (Config >> 24 & 3) != 0 && (Config >> 24 & 3) != 3;

        private bool TriggeredBySoftware => (Config >> 16 & 7) == 7;

        private uint Config => base.ReadDoubleWord(0);

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

        // The files restart and the FIFO is empty (assumed) when it is enabled again.
        private void Stop()
        {
            triggers.Enabled = started = false;
            triggers.Value = scans = made = 0;
            fifo.Clear();
            slots.Clear();
        }

        // Called after each change that may start, stop or change the triggers.
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

        // Computes the scans that are due.
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

        // The latest time of the next check.
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
                var missing = TransferLevel - fifo.Count;
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

        // A sample needs more than the converter's 14 bits. Ten consecutive conversions are dithered evenly, as
        // by the microphone's noise, so that their sum resolves less than a step.
        private uint Convert(int input, long sample, int number)
        {
            // An input whose pad has another function, or is not connected.
            if(input >= Pads.Length || gpio.Function(Pads[input]) != 0 || (Microphones >> input & 1) == 0)
            {
                return 0;
            }
            if(gpio.IsPulledUp(Pads[input])) // to the supply, far stronger than a microphone (assumed)
            {
                return Steps - 1;
            }
            var bytes = inputs[input];
            var tenths = Rest * 10 + number % 10;
            if(bytes != null && sample < bytes.Length / 2)
            {
                tenths += (short)(bytes[2 * sample] | bytes[2 * sample + 1] << 8) * Level;
            }
            // REFSEL: 2.0 V, or 1.5 V with smaller steps; the other references are not connected.
            var reference = (int)(Config >> 8 & 3);
            tenths = reference == 0 ? tenths : reference == 1 ? tenths * 4 / 3 : Steps * 10;
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

        // Empties the FIFO at the level in DMATRIGEN, or stops at the end of the transfer: the rest of the FIFO
        // then belongs to the next transfer (assumed).
        private void Transfer()
        {
            if(target == null || (base.ReadDoubleWord(0x240) & 3) == 0 || fifo.Count < TransferLevel)
            {
                return;
            }
            var mask = (base.ReadDoubleWord(0x280) & 1 << 17) != 0; // DMAMSK
            var burst = new List<byte>();
            while(fifo.Count > 0 && wordsLeft > 0)
            {
                var word = mask ? Front & 0xfffff : Front;
                burst.AddRange(BitConverter.GetBytes(word));
                Pop();
                --wordsLeft;
            }
            machine.SystemBus.WriteBytes(burst.ToArray(), target.Value);
            target += (ulong)burst.Count;
            if(wordsLeft == 0)
            {
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
        private readonly Apollo3_Power power;
        private readonly Apollo3_Gpio gpio;
        private readonly ComparingTimer triggers;
        private readonly List<Slot> slots = new List<Slot>();
        private readonly Queue<uint> fifo = new Queue<uint>();
        private readonly byte[][] inputs = new byte[10][];
        private ulong? target; // of a transfer that is not complete
        private long wordsLeft;
        private long frequency; // of the triggers
        private bool started;
        private uint pending;
        private ulong scans;
        private ulong made; // those of timer A3

        // The pads of inputs SE0 to SE9, which are function 0 of these pads (SVD, PADnFNCSEL).
        private static readonly int[] Pads = { 16, 29, 11, 31, 32, 33, 34, 35, 13, 12 };

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
        private const uint DmaError = 1 << 7;
    }
}
