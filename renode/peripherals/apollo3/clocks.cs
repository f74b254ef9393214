// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Apollo3
{
    using Antmicro.Renode.Core;
    using Antmicro.Renode.Peripherals.CPU;

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
}
