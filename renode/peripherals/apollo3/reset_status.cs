// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Apollo3
{
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
