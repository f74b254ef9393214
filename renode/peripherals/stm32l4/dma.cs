// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Stm32L4
{
    using System;
    using System.Collections.Generic;
    using System.Linq;

    using Antmicro.Renode.Core;
    using Antmicro.Renode.Logging;
    using Antmicro.Renode.Peripherals.Bus;

    // DMA1 or DMA2 (RM 11): channels 1 to 7 for peripherals, which request transfers here, several at a time,
    // not through the bus. Not modelled: memory-to-memory transfers, and channels that wait for each other.
    public class Stm32L4_Dma : Stm32L4Registers, INumberedGPIOOutput
    {
        // `enableBit` of AHB1ENR: 0 or 1.
        public Stm32L4_Dma(IMachine machine, Stm32L4_Rcc rcc, int enableBit) : base(rcc, 0x48, enableBit)
        {
            this.machine = machine;
            Connections = Enumerable.Range(1, Channels).ToDictionary(i => i, i => (IGPIO)new GPIO());
        }

        // The interrupt of each channel.
        public IReadOnlyDictionary<int, IGPIO> Connections { get; }

        // Called before transferred data is read, so that sources compute pending data, and after a channel is
        // switched on or off.
        public event Action Looked;
        public event Action<int> Switched;

        // Whether the channel is on for this request: CSELR's selection, its direction, the peripheral's
        // register.
        public bool Serves(int channel, uint request, bool toPeripheral, uint register)
        {
            var config = this[Config(channel)];
            return HasClock && (config & Enable) != 0 && (config & MemoryToMemory) == 0 &&
                (this[Select] >> 4 * (channel - 1) & 0xf) == request &&
                (config & ToPeripheral) != 0 == toPeripheral && this[Peripheral(channel)] == register &&
                remaining[channel] > 0;
        }

        // From the peripheral's register to memory.
        public void Put(int channel, uint value)
        {
            var config = this[Config(channel)];
            var width = 1 << (int)(config >> 10 & 3);
            var read = 8 << (int)(config >> 8 & 3); // bits
            value = read < 32 ? value & (1u << read) - 1 : value;
            var address = Address(channel, width);
            switch(width)
            {
            case 1:
                machine.SystemBus.WriteByte(address, (byte)value);
                break;
            case 2:
                machine.SystemBus.WriteWord(address, (ushort)value);
                break;
            default:
                machine.SystemBus.WriteDoubleWord(address, value);
                break;
            }
            Count(channel);
        }

        // A byte from memory for the peripheral's register.
        public byte Take(int channel)
        {
            var width = 1 << (int)(this[Config(channel)] >> 10 & 3);
            var value = machine.SystemBus.ReadByte(Address(channel, width));
            Count(channel);
            return value;
        }

        public int Remaining(int channel) => (int)remaining[channel];

        // Simulates a bus error, which switches the channel off (RM 11.4.6).
        public void Fail(int channel)
        {
            this[Config(channel)] &= ~Enable;
            flags |= Failed << 4 * (channel - 1);
            Update();
            Switched?.Invoke(channel);
        }

        public override void Reset()
        {
            base.Reset();
            flags = 0;
            Array.Clear(remaining, 0, remaining.Length);
            Update();
        }

        protected override uint ReadRegister(long offset)
        {
            Looked?.Invoke();
            if(offset == Flags)
            {
                return flags | Enumerable.Range(0, Channels).Where(i => (flags >> 4 * i & 0xe) != 0)
                    .Aggregate(0u, (sum, i) => sum | 1u << 4 * i);
            }
            var channel = ChannelOf(offset);
            return channel > 0 && offset == Config(channel) + 4 ? remaining[channel] : base.ReadRegister(offset);
        }

        protected override void WriteRegister(long offset, uint value)
        {
            Looked?.Invoke();
            var channel = ChannelOf(offset);
            if(offset == Clear)
            {
                for(var i = 0; i < Channels; ++i)
                {
                    flags &= ~((value >> 4 * i & 1) != 0 ? 0xfu << 4 * i : value & 0xeu << 4 * i);
                }
                Update();
            }
            else if(channel > 0 && offset == Config(channel))
            {
                var starts = (value & Enable) != 0 && (this[offset] & Enable) == 0;
                base.WriteRegister(offset, value);
                if(starts)
                {
                    total[channel] = remaining[channel] = this[offset + 4] & 0xffff;
                    done[channel] = 0;
                }
                Update();
                Switched?.Invoke(channel);
            }
            else if(channel > 0 && (this[Config(channel)] & Enable) != 0)
            {
                this.Log(LogLevel.Error, "a write at 0x{0:x} while its channel is on", offset);
            }
            else
            {
                base.WriteRegister(offset, value);
                if(channel > 0 && offset == Config(channel) + 4)
                {
                    remaining[channel] = value & 0xffff;
                }
            }
        }

        private static long Config(int channel) => 0x08 + 0x14 * (channel - 1);

        private static long Peripheral(int channel) => Config(channel) + 8;

        private static int ChannelOf(long offset) =>
            offset >= 0x08 && offset < Config(Channels + 1) ? (int)(offset - 0x08) / 0x14 + 1 : 0;

        private ulong Address(int channel, int width)
        {
            var next = (this[Config(channel)] & MemoryIncrements) != 0;
            return this[Config(channel) + 12] + (next ? done[channel] * (uint)width : 0);
        }

        private void Count(int channel)
        {
            ++done[channel];
            --remaining[channel];
            if(done[channel] == total[channel] / 2)
            {
                flags |= Half << 4 * (channel - 1);
            }
            if(remaining[channel] == 0)
            {
                flags |= Whole << 4 * (channel - 1);
                if((this[Config(channel)] & Circular) != 0)
                {
                    remaining[channel] = total[channel];
                    done[channel] = 0;
                }
            }
            Update(channel);
        }

        // The flags and the enable bits of their interrupts have the same positions.
        private void Update()
        {
            for(var channel = 1; channel <= Channels; ++channel)
            {
                Update(channel);
            }
        }

        private void Update(int channel)
        {
            Connections[channel].Set((flags >> 4 * (channel - 1) & this[Config(channel)] & 0xe) != 0);
        }

        private readonly IMachine machine;
        private readonly uint[] total = new uint[Channels + 1];
        private readonly uint[] remaining = new uint[Channels + 1];
        private readonly uint[] done = new uint[Channels + 1];
        private uint flags;

        private const int Channels = 7;
        private const uint Enable = 1 << 0;
        private const uint Whole = 1 << 1;
        private const uint Half = 1 << 2;
        private const uint Failed = 1 << 3;
        private const uint ToPeripheral = 1 << 4;
        private const uint Circular = 1 << 5;
        private const uint MemoryIncrements = 1 << 7;
        private const uint MemoryToMemory = 1 << 14;
        private const long Flags = 0x00;
        private const long Clear = 0x04;
        private const long Select = 0xa8;
    }
}
