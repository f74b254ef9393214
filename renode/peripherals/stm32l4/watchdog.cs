// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Stm32L4
{
    using Antmicro.Renode.Core;
    using Antmicro.Renode.Logging;
    using Antmicro.Renode.Peripherals.Timers;
    using Antmicro.Renode.Time;

    // IWDG (RM 36): counts the LSI down and resets the machine. Prescaler and count are locked without the
    // key, and take effect some time after they are written. The window is not modelled.
    public class Stm32L4_Watchdog : Stm32L4Registers
    {
        public Stm32L4_Watchdog(IMachine machine, Stm32L4_Rcc rcc) : base(rcc, None, 0)
        {
            counter = new LimitTimer(machine.ClockSource, LsiFrequency, this, "counter", limit: 1, eventEnabled: true,
                workMode: WorkMode.OneShot);
            counter.LimitReached += () =>
            {
                this.Log(LogLevel.Warning, "the watchdog resets the machine");
                rcc.Cause = Stm32L4_Rcc.WasWatchdog;
                machine.RequestReset();
            };
            update = new LimitTimer(machine.ClockSource, LsiFrequency, this, "update", limit: UpdateCycles,
                eventEnabled: true, workMode: WorkMode.OneShot);
            update.LimitReached += () => this[Status] = 0;
            Reset();
        }

        public override void Reset()
        {
            base.Reset();
            this[Count] = 0xfff;
            counter.Reset();
            update.Reset();
            unlocked = false;
        }

        protected override void WriteRegister(long offset, uint value)
        {
            switch(offset)
            {
            case Key:
                unlocked = value == 0x5555;
                if(value == 0xcccc || (value == 0xaaaa && counter.Enabled))
                {
                    Reload();
                }
                break;
            case Prescaler:
            case Count:
                var busy = offset == Prescaler ? 1u : 2u;
                if(!unlocked || (this[Status] & busy) != 0)
                {
                    this.Log(LogLevel.Error, "0x{0:x} is locked, or its last value is not applied yet", offset);
                    return;
                }
                this[offset] = value;
                this[Status] |= busy;
                update.ResetValue();
                update.Enabled = true;
                break;
            }
        }

        private void Reload()
        {
            counter.Enabled = false;
            counter.Limit = ((this[Count] & 0xfff) + 1) << (int)System.Math.Min(2 + (this[Prescaler] & 7), 8);
            counter.ResetValue();
            counter.Enabled = true;
        }

        private readonly LimitTimer counter;
        private readonly LimitTimer update;
        private bool unlocked;

        private const long LsiFrequency = 32000;
        private const ulong UpdateCycles = 5; // RM 36.4.4
        private const long Key = 0x00;
        private const long Prescaler = 0x04;
        private const long Count = 0x08;
        private const long Status = 0x0c;
    }
}
