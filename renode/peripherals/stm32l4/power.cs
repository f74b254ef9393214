// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Stm32L4
{
    // PWR (RM 5.4): the core's voltage.
    public class Stm32L4_Power : Stm32L4Registers
    {
        public Stm32L4_Power(Stm32L4_Rcc rcc) : base(rcc, 0x58, 28)
        {
            Reset();
        }

        public override void Reset()
        {
            base.Reset();
            this[Control] = 0x200;
        }

        protected override void WriteRegister(long offset, uint value)
        {
            base.WriteRegister(offset, value);
            if(offset == Control)
            {
                Rcc.VoltageRange = value >> 9 & 3;
            }
        }

        private const long Control = 0x00;
    }
}
