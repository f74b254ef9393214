// SPDX-License-Identifier: Apache-2.0
// Parts of ST's STM32L475 that Renode 1.15.3 lacks, or models too leniently: it has no DFSDM and no flash
// of this family, and its ports, USART, timers and watchdog work without a clock, at any rate and pin.
// Sources: the vendor's SVD file for registers and bits; otherwise reference manual RM0351 (RM) and data
// sheet DS10969 (DS), with sections. Behaviour without a source is marked with "assumed".
// Registers that are not modelled read back the written value.
namespace Antmicro.Renode.Peripherals.Stm32L4
{
    using System.Collections.Generic;

    using Antmicro.Renode.Logging;
    using Antmicro.Renode.Peripherals.Bus;

    // A peripheral's registers. It must not be accessed without its clock (RM 6.2.18); it then reads as 0
    // and ignores writes (assumed).
    public abstract class Stm32L4Registers : IDoubleWordPeripheral, IKnownSize
    {
        // The bit of an RCC register (such as AHB1ENR) that enables its clock.
        protected Stm32L4Registers(Stm32L4_Rcc rcc, long enableRegister, int enableBit)
        {
            Rcc = rcc;
            this.enableRegister = enableRegister;
            this.enableBit = enableBit;
        }

        public uint ReadDoubleWord(long offset) => HasClock ? ReadRegister(offset) : 0;

        public void WriteDoubleWord(long offset, uint value)
        {
            if(HasClock)
            {
                WriteRegister(offset, value);
            }
            else
            {
                this.Log(LogLevel.Error, "a write at 0x{0:x} without a clock", offset);
            }
        }

        public virtual void Reset() => values.Clear();

        public long Size => 0x400;

        public bool HasClock => enableRegister == None || Rcc.IsEnabled(enableRegister, enableBit);

        protected virtual uint ReadRegister(long offset) => this[offset];

        protected virtual void WriteRegister(long offset, uint value) => this[offset] = value;

        protected uint this[long offset]
        {
            get => values.TryGetValue(offset, out var value) ? value : 0;
            set => values[offset] = value;
        }

        protected Stm32L4_Rcc Rcc { get; }

        protected const long None = -1;

        private readonly long enableRegister;
        private readonly int enableBit;
        private readonly Dictionary<long, uint> values = new Dictionary<long, uint>();
    }
}
