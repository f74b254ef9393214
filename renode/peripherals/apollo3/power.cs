// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Apollo3
{
    // DEVPWRSTATUS follows DEVPWREN at once.
    public class Apollo3_Power : Apollo3Registers
    {
        public bool Uart => (Enabled & 1u << 7) != 0;

        public bool Adc => (Enabled & 1u << 9) != 0;

        public override uint ReadDoubleWord(long offset)
        {
            if(offset != 0x18)
            {
                return base.ReadDoubleWord(offset);
            }
            var status = 3u;                                  // MCUL, MCUH
            status |= (Enabled & 0x0581) != 0 ? 1u << 2 : 0;  // HCPA: IOS, UART0, UART1, SCARD
            status |= Adc ? 1u << 5 : 0;
            return status;
        }

        private uint Enabled => base.ReadDoubleWord(0x8);
    }
}
