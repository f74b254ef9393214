// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Apollo3
{
    // MCUCTRL of a chip with burst mode.
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
}
