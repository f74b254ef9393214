// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Apollo3
{
    using System;
    using System.Collections.Generic;
    using System.Linq;

    using Antmicro.Renode.Core;
    using Antmicro.Renode.Logging;
    using Antmicro.Renode.Peripherals.Bus;
    using Antmicro.Renode.Peripherals.CPU;
    using Antmicro.Renode.Peripherals.Memory;

    // CACHECTRL: cache invalidation, and the enable bit for instructions.
    public class Apollo3_Cache : Apollo3Registers
    {
        public event Action Invalidated;

        public event Action<bool> Switched;

        public override void WriteDoubleWord(long offset, uint value)
        {
            if(offset != Control)
            {
                base.WriteDoubleWord(offset, value);
            }
            else if((value & 1) != 0)
            {
                Invalidated?.Invoke();
            }
            if(offset == Config)
            {
                Switched?.Invoke((value & Instructions) == Instructions);
            }
        }

        private const long Config = 0x00;
        private const long Control = 0x08;
        private const uint Instructions = 1 << 8 | 1; // ICACHE_ENABLE, ENABLE
    }

    // The last two pages of flash; a reset keeps them. Only the ROM writes them. A cached line stays in the
    // cache until it is invalidated (assumed: even if flash changes).
    [AllowedTranslations(AllowedTranslation.ByteToDoubleWord | AllowedTranslation.WordToDoubleWord)]
    public class Apollo3_SettingsFlash : IDoubleWordPeripheral, IKnownSize
    {
        public Apollo3_SettingsFlash(Apollo3_Cache cache, uint address)
        {
            Address = address;
            cache.Invalidated += lines.Clear;
        }

        public uint Address { get; }

        public uint ReadDoubleWord(long offset)
        {
            var line = offset / LineBytes;
            if(!lines.TryGetValue(line, out var cached))
            {
                cached = words.Skip((int)(line * LineBytes / 4)).Take(LineBytes / 4).ToArray();
                lines[line] = cached;
            }
            return cached[offset % LineBytes / 4];
        }

        public void WriteDoubleWord(long offset, uint value)
        {
            this.Log(LogLevel.Error, "a store to flash at 0x{0:x}: only the ROM's functions write it", offset);
        }

        public void Reset()
        {
            lines.Clear();
        }

        // Content left by another program.
        public void Fill(uint value)
        {
            Array.Fill(words, value);
            lines.Clear();
        }

        public void Erase(uint page)
        {
            Array.Fill(words, ~0u, (int)page * PageBytes / 4, PageBytes / 4);
        }

        // A bit may be cleared once (HAL, am_hal_flash_clear_bits).
        public void Write(uint at, uint value)
        {
            ref var word = ref words[(at - Address) / 4];
            if(word != ~0u)
            {
                this.Log(LogLevel.Error, "0x{0:x} is not erased", at);
            }
            word &= value;
        }

        public bool Has(uint at) => at >= Address && at < Address + Size;

        public long Size => 2 * PageBytes;

        public const int PageBytes = 8192;
        public const int InstanceBytes = 512 * 1024;

        private readonly uint[] words = Enumerable.Repeat(~0u, 2 * PageBytes / 4).ToArray();
        private readonly Dictionary<long, uint[]> lines = new Dictionary<long, uint[]>();

        private const int LineBytes = 16;
    }

    // The two functions of the chip's ROM that erase and write flash (HAL, am_hal_flash.c, which also lists
    // their return values). The ROM code here only passes its arguments to this class, through registers that
    // do not exist in the chip.
    public class Apollo3_Rom : IDoubleWordPeripheral, IKnownSize
    {
        public Apollo3_Rom(IMachine machine, CortexM cpu, MappedMemory code, Apollo3_SettingsFlash flash)
        {
            this.machine = machine;
            this.cpu = cpu;
            this.flash = flash;
            // 0x50: b 0x100; 0x54: b 0x140
            code.WriteDoubleWord(0x50, 0xbf00e056);
            code.WriteDoubleWord(0x54, 0xbf00e074);
            WriteStub(code, 0x100, 0x6920);
            WriteStub(code, 0x140, 0x6960);
        }

        public uint ReadDoubleWord(long offset)
        {
            if(cpu.PRIMASK == 0)
            {
                this.Log(LogLevel.Error, "an interrupt may come, and its code cannot be read");
                return Interrupted;
            }
            return offset == 0x10 ? Erase() : offset == 0x14 ? Write() : 0;
        }

        public void WriteDoubleWord(long offset, uint value)
        {
            arguments[offset / 4] = value;
        }

        public void Reset()
        {
        }

        public long Size => 0x100;

        // push {r4}; r4 = these registers; store r0 to r3; load r0 at 0x10 or 0x14; pop {r4}; bx lr
        private static void WriteStub(MappedMemory code, long at, uint load)
        {
            code.WriteDoubleWord(at + 0x00, 0x4c04b410);
            code.WriteDoubleWord(at + 0x04, 0x60616020);
            code.WriteDoubleWord(at + 0x08, 0x60e360a2);
            code.WriteDoubleWord(at + 0x0c, 0xbc100000 | load);
            code.WriteDoubleWord(at + 0x10, 0xbf004770);
            code.WriteDoubleWord(at + 0x14, Registers);
        }

        private uint Erase()
        {
            var (key, instance, page) = (arguments[0], arguments[1], arguments[2]);
            if(key != Key)
            {
                return 1;
            }
            if(instance > 1)
            {
                return 2;
            }
            if(page > 63)
            {
                return 3;
            }
            var at = instance * Apollo3_SettingsFlash.InstanceBytes + page * Apollo3_SettingsFlash.PageBytes;
            if(flash.Has(at))
            {
                flash.Erase((at - flash.Address) / Apollo3_SettingsFlash.PageBytes);
            }
            else
            {
                this.Log(LogLevel.Error, "erase of 0x{0:x}, which is not the settings'", at);
            }
            return 0;
        }

        private uint Write()
        {
            var (key, from, to, count) = (arguments[0], arguments[1], arguments[2], arguments[3]);
            if(key != Key)
            {
                return 1;
            }
            if(to % 4 != 0 || to >= 0x100000)
            {
                return 2;
            }
            if(to + 4 * count > 0x100000)
            {
                return 3;
            }
            // Only RAM can be read while flash is busy.
            if(from % 4 != 0 || from < 0x10000000 || from + 4 * count > 0x10060000)
            {
                return 4;
            }
            for(var i = 0u; i < count; ++i)
            {
                if(flash.Has(to + 4 * i))
                {
                    flash.Write(to + 4 * i, machine.SystemBus.ReadDoubleWord(from + 4 * i));
                }
                else
                {
                    this.Log(LogLevel.Error, "write of 0x{0:x}, which is not the settings'", to + 4 * i);
                }
            }
            return 0;
        }

        private readonly IMachine machine;
        private readonly CortexM cpu;
        private readonly Apollo3_SettingsFlash flash;
        private readonly uint[] arguments = new uint[0x100 / 4];

        private const uint Key = 0x12344321;
        private const uint Interrupted = 6; // no return value: the call would not return on a chip
        private const uint Registers = 0x0800f000;
    }
}
