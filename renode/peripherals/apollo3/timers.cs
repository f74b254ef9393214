// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Apollo3
{
    using System;
    using System.Linq;

    using Antmicro.Renode.Core;
    using Antmicro.Renode.Logging;
    using Antmicro.Renode.Peripherals.Bus;
    using Antmicro.Renode.Peripherals.Timers;
    using Antmicro.Renode.Time;

    // CTIMER: the 16 halves A0, B0, A1 ... B7, each 16 bits from HFRC, counting once or repeatedly to
    // its CMPR0, with that interrupt; A3 triggers the ADC. The system timer counts; its compare
    // registers are not modelled.
    public class Apollo3_Timers : Apollo3Registers
    {
        public Apollo3_Timers(IMachine machine, Apollo3_Clocks clocks)
        {
            this.machine = machine;
            this.clocks = clocks;
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

        // The rate of the ADC's trigger, in Hz; 0: none.
        public long TriggerFrequency => (base.ReadDoubleWord(0x6c) & 1 << 15) != 0 ? halves[6].Repeats : 0;

        public event Action TriggerChanged;

        public GPIO IRQ { get; }

        // HFRC is read when a timer is configured; later changes are not modelled.
        private long HalfFrequency(uint select)
        {
            var dividers = new long[] { 0, 4, 16, 256, 1024, 4096 };
            return select > 0 && select < dividers.Length ? clocks.Hfrc / dividers[select] : 0;
        }

        private long SystemFrequency(uint select)
        {
            var frequencies = new long[] { 0, clocks.Hfrc / 16, clocks.Hfrc / 256, 32768, 16384, 1024, 1024 };
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
            // In two steps, so that 64 bits are enough for years.
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
                timer = new LimitTimer(machine.ClockSource, 1, parent, "half" + number, limit: 1,
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
                frequency = runs ? parent.HalfFrequency(control >> 1 & 0x1f) : 0;
                function = control >> 6 & 7;
                start = parent.Now;
                timer.Enabled = false;
                if(runs && (frequency == 0 || function > RepeatedCount))
                {
                    parent.Log(LogLevel.Error, "CTRL of half {0}: clock or function is not modelled", number);
                    frequency = 0;
                }
                // A half without an interrupt takes no emulation time.
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

            // How many times per second it reaches its end; 0: never again.
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
        private readonly Apollo3_Clocks clocks;
        private readonly Half[] halves = new Half[16];
        private uint pending;
        private ulong systemStart;
        private long systemFrequency;
        private uint systemHeld;
    }
}
