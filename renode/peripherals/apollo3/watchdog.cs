// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Apollo3
{
    using System;
    using System.Linq;

    using Antmicro.Renode.Core;
    using Antmicro.Renode.Logging;
    using Antmicro.Renode.Peripherals.Timers;
    using Antmicro.Renode.Time;

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
}
