// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Apollo3
{
    using Antmicro.Renode.Core;
    using Antmicro.Renode.Peripherals.CPU;

    // CLKGEN: the divider of HFRC, and the burst mode, in which only the core runs twice as fast. After a reset
    // the core and "all internal HFRC clock sources" are halved (SVD, CCTRL). Without a cache the core waits
    // for flash (assumed: it is half as fast then).
    public class Apollo3_Clocks : Apollo3Registers
    {
        public Apollo3_Clocks(IMachine machine, BaseCPU cpu, Apollo3_Control control, Apollo3_Cache cache)
        {
            this.machine = machine;
            this.cpu = cpu;
            this.control = control;
            cache.Switched += isOn =>
            {
                cached = isOn;
                Pace();
            };
            Reset();
        }

        // The clock that timers, ADC and UART divide, in Hz.
        public long Hfrc => (values[Control] & 1) == 0 ? 48000000 : 24000000;

        public override void WriteDoubleWord(long offset, uint value)
        {
            switch(offset)
            {
            case Control:
                if(base.ReadDoubleWord(Key) != 71)
                {
                    return;
                }
                base.WriteDoubleWord(offset, value);
                break;
            case FrequencyControl:
                // BURSTREQ is always acknowledged, and granted if MCUCTRL has the feature enabled.
                burst = (value & 1) != 0 && control.BurstEnabled;
                base.WriteDoubleWord(offset, (value & 1) | (value & 1) << 1 | (burst ? 4u : 0));
                break;
            default:
                base.WriteDoubleWord(offset, value);
                return;
            }
            Pace();
        }

        public override void Reset()
        {
            base.Reset();
            values[Control] = 1;
            burst = false;
            cached = false;
            cpu.PerformanceInMips = Mips;
        }

        // Takes effect after the core's time slice, within a quantum.
        private void Pace()
        {
            machine.LocalTimeSource.ExecuteInNearestSyncedState(_ => cpu.PerformanceInMips = Mips);
        }

        private uint Mips => (uint)(Hfrc / 1000000) * (burst ? 2u : 1u) / (cached ? 1u : 2u);

        private readonly IMachine machine;
        private readonly BaseCPU cpu;
        private readonly Apollo3_Control control;
        private bool burst;
        private bool cached;

        private const long Key = 0x14;
        private const long Control = 0x18;
        private const long FrequencyControl = 0x34;
    }
}
