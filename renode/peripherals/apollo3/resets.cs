// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Apollo3
{
    // RSTGEN. STAT is registered separately, on its own page.
    public class Apollo3_Resets : Apollo3Registers
    {
        public bool ByWatchdog => (base.ReadDoubleWord(0) & 2) != 0;

        // The cause of the next reset; by default software.
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
}
