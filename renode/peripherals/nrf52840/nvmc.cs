// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Nrf52840
{
    using System;
    using System.Linq;

    using Antmicro.Renode.Core;
    using Antmicro.Renode.Logging;
    using Antmicro.Renode.Peripherals.Bus;
    using Antmicro.Renode.Peripherals.CPU;
    using Antmicro.Renode.Peripherals.Timers;
    using Antmicro.Renode.Time;

    // NVMC (4.3): permissions and duration of flash writes. The core runs from flash, so it stops during an
    // erase, and its interrupts wait. Without the flash cache, the core also waits for flash (assumed: it is
    // half as fast then).
    public class Nrf52840_Nvmc : IDoubleWordPeripheral, IKnownSize
    {
        public Nrf52840_Nvmc(IMachine machine, BaseCPU cpu)
        {
            this.machine = machine;
            this.cpu = cpu;
            work = new LimitTimer(machine.ClockSource, 1000000, this, "work", limit: 1,
                eventEnabled: true, workMode: WorkMode.OneShot);
            work.LimitReached += () => cpu.IsHalted = false;
            Reset();
        }

        // Another value means a faulty chip.
        public uint CoreMhz { private get; set; } = 64;

        public bool IsBusy => work.Enabled;
        public bool MayWrite => registers[Config] == 1 && !IsBusy;
        public bool MayErase => registers[Config] == 2 && !IsBusy;

        // Erases the page at an address for a number of milliseconds.
        public event Action<uint, uint> Erase;

        public void WorkFor(ulong microseconds)
        {
            work.Limit = microseconds;
            work.ResetValue();
            work.Enabled = true;
            if(microseconds > 1000)
            {
                machine.LocalTimeSource.ExecuteInNearestSyncedState(_ => cpu.IsHalted = IsBusy);
            }
        }

        public uint ReadDoubleWord(long offset)
        {
            return offset == Ready ? (IsBusy ? 0u : 1u) : registers.Read(offset);
        }

        public void WriteDoubleWord(long offset, uint value)
        {
            if(offset != ErasePage && offset != ErasePagePartial)
            {
                registers.Write(offset, value);
                if(offset == CacheConfig)
                {
                    // Takes effect after the core's time slice, within a quantum.
                    machine.LocalTimeSource.ExecuteInNearestSyncedState(_ => cpu.PerformanceInMips = Mips);
                }
                return;
            }
            if(!MayErase)
            {
                this.Log(LogLevel.Error, "no erase: CONFIG is {0}, busy {1}", registers[Config], IsBusy);
                return;
            }
            var ms = offset == ErasePage ? PageMs : registers[ErasePartMs] & 0x7f;
            Erase?.Invoke(value, ms);
            WorkFor(1000 * ms);
        }

        public void Reset()
        {
            registers.Clear();
            registers[ErasePartMs] = 10;
            work.Reset();
            cpu.PerformanceInMips = Mips;
        }

        public long Size => 0x1000;

        // tERASEPAGE (4.3.9).
        public const uint PageMs = 85;

        private uint Mips => (registers[CacheConfig] & 1) != 0 ? CoreMhz : CoreMhz / 2;

        private readonly IMachine machine;
        private readonly BaseCPU cpu;
        private readonly Nrf52840_Registers registers = new Nrf52840_Registers();
        private readonly LimitTimer work;

        private const long Ready = 0x400;
        private const long Config = 0x504;
        private const long ErasePage = 0x508;
        private const long ErasePagePartial = 0x518;
        private const long ErasePartMs = 0x51c;
        private const long CacheConfig = 0x540;
    }

    // Two pages of flash that a program may erase and write; a reset keeps them. Writes that the
    // controller does not allow, or to a word that is not erased, are refused.
    [AllowedTranslations(AllowedTranslation.ByteToDoubleWord | AllowedTranslation.WordToDoubleWord)]
    public class Nrf52840_SettingsFlash : IDoubleWordPeripheral, IKnownSize
    {
        public Nrf52840_SettingsFlash(Nrf52840_Nvmc controller, uint address)
        {
            this.controller = controller;
            this.address = address;
            controller.Erase += ErasePart;
        }

        public uint ReadDoubleWord(long offset)
        {
            if(controller.IsBusy)
            {
                this.Log(LogLevel.Error, "read while the controller is busy");
            }
            return words[offset / 4];
        }

        public void WriteDoubleWord(long offset, uint value)
        {
            if(!controller.MayWrite || words[offset / 4] != ~0u || erasedMs[offset / PageBytes] < Nrf52840_Nvmc.PageMs)
            {
                this.Log(LogLevel.Error, "no write at 0x{0:x}: not allowed, busy or not erased", offset);
                return;
            }
            words[offset / 4] = value;
            written[offset / PageBytes] = true;
            controller.WorkFor(WriteUs);
        }

        public void Reset()
        {
        }

        // Content left by another program.
        public void Fill(uint value)
        {
            Array.Fill(words, value);
            Array.Fill(erasedMs, 0u);
        }

        public long Size => 2 * PageBytes;

        private void ErasePart(uint at, uint ms)
        {
            var page = (at - address) / PageBytes;
            if(at < address || page > 1 || at % PageBytes != 0)
            {
                this.Log(LogLevel.Error, "erase of 0x{0:x}, which is not the settings'", at);
                return;
            }
            erasedMs[page] = written[page] ? ms : erasedMs[page] + ms;
            written[page] = false;
            var whole = erasedMs[page] >= Nrf52840_Nvmc.PageMs;
            for(var i = 0; i < PageBytes / 4; ++i)
            {
                // Until the erase is complete, its bits are undefined (4.3.6).
                words[page * PageBytes / 4 + i] = whole ? ~0u : (uint)(i * 0x9e3779b9);
            }
        }

        private readonly Nrf52840_Nvmc controller;
        private readonly uint address;
        private readonly uint[] words = Enumerable.Repeat(~0u, 2 * PageBytes / 4).ToArray();
        private readonly uint[] erasedMs = { Nrf52840_Nvmc.PageMs, Nrf52840_Nvmc.PageMs }; // all parts
        private readonly bool[] written = new bool[2]; // since the last erase

        private const int PageBytes = 4096;
        private const ulong WriteUs = 41; // tWRITE (4.3.9)
    }
}
