// SPDX-License-Identifier: Apache-2.0
// Parts of Ambiq's Apollo3 Blue that Renode 1.15.3 lacks. Sources: the vendor's SVD file for registers
// and bits; otherwise Apollo3 Blue Datasheet DS-A3-0p9p1 (sections are named) and the vendor's
// AmbiqSuite SDK 2.x. Behaviour without a source is marked with "assumed".
// Registers that are not modelled read back the written value.
namespace Antmicro.Renode.Peripherals.Apollo3
{
    using System.Collections.Generic;

    using Antmicro.Renode.Peripherals.Bus;

    // Registers that behave like memory, unless a subclass adds behaviour.
    public abstract class Apollo3Registers : IDoubleWordPeripheral, IKnownSize
    {
        public virtual uint ReadDoubleWord(long offset)
        {
            return values.TryGetValue(offset, out var value) ? value : 0;
        }

        public virtual void WriteDoubleWord(long offset, uint value)
        {
            values[offset] = value;
        }

        public virtual void Reset()
        {
            values.Clear();
        }

        public virtual long Size => 0x1000;

        protected readonly Dictionary<long, uint> values = new Dictionary<long, uint>();
    }
}
