// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Stm32L4
{
    using System;
    using System.Collections.Generic;
    using System.Linq;

    using Antmicro.Renode.Core;
    using Antmicro.Renode.Logging;
    using Antmicro.Renode.Peripherals.Bus;
    using Antmicro.Renode.Peripherals.IRQControllers;
    using Antmicro.Renode.Peripherals.Timers;
    using Antmicro.Renode.Time;

    // FLASH (RM 3.7): wait states, caches, permissions and duration of writes to the settings' flash. It is
    // in the second bank, so the core continues meanwhile. Options are not modelled.
    public class Stm32L4_Flash : Stm32L4Registers
    {
        public Stm32L4_Flash(IMachine machine, Stm32L4_Rcc rcc, NVIC nvic) : base(rcc, 0x48, 8)
        {
            this.nvic = nvic;
            work = new LimitTimer(machine.ClockSource, 1000000, this, "work", limit: 1, eventEnabled: true,
                workMode: WorkMode.OneShot);
            work.LimitReached += () => this[Status] |= Done;
            Reset();
        }

        public bool IsBusy => work.Enabled;

        public bool IsDataCached => (this[Access] & DataCache) != 0;

        // Empties the data cache.
        public event Action Forgotten;

        // Erases this page of the second bank.
        public event Action<uint> Erased;

        // Raised by a write other than of two consecutive words.
        public event Action Aborted;

        // Whether a word may be written now; otherwise the write is an error.
        public bool MayWrite()
        {
            var may = !locked && !IsBusy && (this[Control] & (Write | Erase)) == Write && (this[Status] & Errors) == 0;
            if(!may)
            {
                Fail(SequenceError, "a write that is locked, unasked for, too early or after an error");
            }
            return may;
        }

        public void Fail(uint error, string why)
        {
            this.Log(LogLevel.Error, "no: {0}", why);
            this[Status] |= error;
        }

        public void WorkFor(ulong us)
        {
            work.Limit = us;
            work.ResetValue();
            work.Enabled = true;
        }

        // Words whose checksum is wrong were read: a non-maskable interrupt (RM 3.3.2).
        public void FailChecksum(uint bankOffset)
        {
            this[Ecc] = EccFailed | EccBank2 | bankOffset;
            nvic.SetPendingIRQ(NonMaskable);
        }

        public override void Reset()
        {
            base.Reset();
            this[Access] = 0x600;
            work.Reset();
            locked = true;
            keys = 0;
            Forgotten?.Invoke();
            Aborted?.Invoke();
        }

        public const uint WriteError = 1 << 3;    // PROGERR: a word is not erased
        public const uint AlignError = 1 << 5;    // PGAERR
        public const uint SequenceError = 1 << 7; // PGSERR

        protected override uint ReadRegister(long offset)
        {
            switch(offset)
            {
            case Status:
                return this[Status] | (IsBusy ? 1u << 16 : 0);
            case Control:
                return this[Control] | (locked ? Lock : 0) | 1u << 30;
            default:
                return this[offset];
            }
        }

        protected override void WriteRegister(long offset, uint value)
        {
            switch(offset)
            {
            case Access:
                if((value & ForgetData) != 0 && !IsDataCached)
                {
                    Forgotten?.Invoke();
                }
                this[Access] = value;
                Rcc.SetFlash(value & 7, (value & CodeCache) != 0);
                break;
            case Keys:
                Unlock(value);
                break;
            case Status:
                this[Status] &= ~value;
                break;
            case Control:
                WriteControl(value);
                break;
            case Ecc:
                this[Ecc] &= ~(value & EccFailed);
                break;
            default:
                this[offset] = value;
                break;
            }
        }

        // A wrong key locks it until the next reset (RM 3.3.5).
        private void Unlock(uint key)
        {
            if(keys < 2 && key == new[] { 0x45670123u, 0xcdef89abu }[keys])
            {
                locked = ++keys < 2;
            }
            else
            {
                this.Log(LogLevel.Error, "a wrong key");
                keys = 3;
                locked = true;
            }
        }

        private void WriteControl(uint value)
        {
            if(locked || IsBusy)
            {
                this.Log(LogLevel.Error, "CR is locked, or flash is busy");
                return;
            }
            if((value & Write) == 0)
            {
                Aborted?.Invoke();
            }
            this[Control] = value & ~(Lock | Start);
            if((value & Lock) != 0)
            {
                locked = true;
                keys = 0;
                return;
            }
            if((value & Start) == 0)
            {
                return;
            }
            if((value & (Write | Erase)) != Erase || (this[Status] & Errors) != 0)
            {
                Fail(SequenceError, "an erase that is unasked for or after an error");
                return;
            }
            if((value & Bank2) == 0)
            {
                Fail(SequenceError, "an erase of the firmware's bank (assumed: a chip would do it)");
                return;
            }
            Erased?.Invoke(value >> 3 & 0xff);
            WorkFor(EraseUs);
        }

        private readonly NVIC nvic;
        private readonly LimitTimer work;
        private bool locked;
        private int keys; // correct keys since it was locked; 3: no key is accepted

        private const int NonMaskable = 2;
        private const ulong EraseUs = 22020; // DS, flash memory, typical
        private const uint Errors = 0xc3fa;
        private const uint Done = 1 << 0;
        private const uint CodeCache = 1 << 9;
        private const uint DataCache = 1 << 10;
        private const uint ForgetData = 1 << 12;
        private const uint Write = 1 << 0;
        private const uint Erase = 1 << 1;
        private const uint Bank2 = 1 << 11;
        private const uint Start = 1 << 16;
        private const uint Lock = 1u << 31;
        private const uint EccBank2 = 1 << 19;
        private const uint EccFailed = 1u << 31;
        private const long Access = 0x00;
        private const long Keys = 0x08;
        private const long Status = 0x10;
        private const long Control = 0x14;
        private const long Ecc = 0x18;
    }

    // The last two pages of flash, which a program may erase, and write once after an erase, two words at a
    // time; a reset keeps them. A cached line stays in the data cache (assumed: even if flash changes).
    [AllowedTranslations(AllowedTranslation.ByteToDoubleWord | AllowedTranslation.WordToDoubleWord)]
    public class Stm32L4_SettingsFlash : IDoubleWordPeripheral, IKnownSize
    {
        // `bankOffset`: offset in the second bank.
        public Stm32L4_SettingsFlash(Stm32L4_Flash controller, uint bankOffset)
        {
            this.controller = controller;
            this.bankOffset = bankOffset;
            controller.Forgotten += lines.Clear;
            controller.Aborted += () => first = None;
            controller.Erased += Erase;
        }

        public uint ReadDoubleWord(long offset)
        {
            if(torn.Contains(offset / 8))
            {
                controller.FailChecksum(bankOffset + (uint)offset / 8 * 8);
            }
            var line = offset / LineBytes;
            if(!lines.TryGetValue(line, out var cached))
            {
                cached = words.Skip((int)(line * LineBytes / 4)).Take(LineBytes / 4).ToArray();
                if(controller.IsDataCached)
                {
                    lines[line] = cached;
                }
            }
            return controller.IsDataCached ? cached[offset % LineBytes / 4] : words[offset / 4];
        }

        public void WriteDoubleWord(long offset, uint value)
        {
            if(!controller.MayWrite())
            {
                return;
            }
            if(first == None && offset % 8 == 0)
            {
                first = offset;
                firstValue = value;
                return;
            }
            if(first == None || offset != first + 4)
            {
                controller.Fail(Stm32L4_Flash.AlignError, $"a write at 0x{offset:x}, not by two words");
                first = None;
                return;
            }
            first = None;
            var at = (offset - 4) / 4;
            if(words[at] != ~0u || words[at + 1] != ~0u || torn.Contains(offset / 8))
            {
                controller.Fail(Stm32L4_Flash.WriteError, $"0x{offset - 4:x} is not erased");
                return;
            }
            words[at] = firstValue;
            words[at + 1] = value;
            controller.WorkFor(WriteUs);
        }

        public void Reset()
        {
        }

        // Content left by another program.
        public void Fill(uint value)
        {
            Array.Fill(words, value);
            torn.Clear();
            lines.Clear();
        }

        // Simulates a power failure during a write: the two words at `offset` have neither their old nor their
        // new bits.
        public void Tear(uint offset)
        {
            words[offset / 8 * 2] = 0xf7ffbfff;
            torn.Add(offset / 8);
        }

        public long Size => 2 * PageBytes;

        private void Erase(uint number)
        {
            var page = number - bankOffset / PageBytes;
            if(number < bankOffset / PageBytes || page > 1)
            {
                this.Log(LogLevel.Error, "erase of page {0}, which is not the settings'", number);
                return;
            }
            Array.Fill(words, ~0u, (int)page * PageBytes / 4, PageBytes / 4);
            torn.RemoveWhere(at => at * 8 / PageBytes == page);
        }

        private readonly Stm32L4_Flash controller;
        private readonly uint bankOffset;
        private readonly uint[] words = Enumerable.Repeat(~0u, 2 * PageBytes / 4).ToArray();
        private readonly Dictionary<long, uint[]> lines = new Dictionary<long, uint[]>();
        private readonly HashSet<long> torn = new HashSet<long>();
        private long first = None; // offset of the first written word of a pair
        private uint firstValue;

        private const long None = -1;
        private const int PageBytes = 2048;
        private const int LineBytes = 32;
        private const ulong WriteUs = 82; // DS, flash memory, typical
    }
}
