// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Stm32L4
{
    using System;
    using System.IO;
    using System.Linq;

    using Antmicro.Renode.Core;
    using Antmicro.Renode.Exceptions;
    using Antmicro.Renode.Logging;
    using Antmicro.Renode.Peripherals.Bus;
    using Antmicro.Renode.Peripherals.Timers;

    // DFSDM1 (RM 24) with the board's two microphones at one data line: eight channels, and filter 0 with its
    // regular conversions. Clock, divisor, ratios and FAST set the rate of the conversions; order, ratios and
    // shift set their scale. The file's sound is sampled at this rate, so a wrong rate or scale gives wrong
    // sound. Without a valid clock, or on another line, all bits are zero (assumed for an undriven line).
    //
    // Conversions are not emulation events: they are computed when a register is read or the DMA reports one,
    // and are then written to memory together.
    public class Stm32L4_Dfsdm : Stm32L4Registers
    {
        public Stm32L4_Dfsdm(IMachine machine, Stm32L4_Rcc rcc, Stm32L4_Dma dma, Stm32L4_Gpio port) : base(rcc, 0x60, 24)
        {
            this.machine = machine;
            this.dma = dma;
            this.port = port;
            IRQ = new GPIO();
            cycles = new ComparingTimer(machine.ClockSource, 1, this, "cycles", limit: long.MaxValue,
                compare: long.MaxValue, eventEnabled: true);
            cycles.CompareReached += () =>
            {
                Advance();
                Plan();
            };
            dma.Looked += Advance;
            dma.Switched += channel => Plan();
            rcc.Changed += SetFrequency;
            Reset();
        }

        // Appends raw samples: signed 16 bits, little-endian, 16 kHz. Silence follows the last one. Without any
        // file the peripheral is broken: nothing is converted.
        public void SetInputFile(string path)
        {
            if(!File.Exists(path))
            {
                throw new RecoverableException($"{path}: no such file");
            }
            sound = (sound ?? new byte[0]).Concat(File.ReadAllBytes(path)).ToArray();
            StartIfReady();
        }

        // How the board connects the microphones: pins of `port` and their alternate function; the channel of
        // the data line.
        public int ClockPin { get; set; }
        public int DataPin { get; set; }
        public uint Function { get; set; }
        public int DataChannel { get; set; }

        // The microphones' clock range, in Hz.
        public long LowestClock { get; set; }
        public long HighestClock { get; set; }

        // The channel of `dma` for filter 0, its selection in CSELR, and the address of these registers.
        public int DmaChannel { get; set; }
        public uint Request { get; set; }
        public uint Address { get; set; }

        // Value of the microphones in silence, in the file's unit: far from zero (assumed, as on other
        // boards), so that a driver has an offset to remove.
        public int Rest { get; set; } = 3001;

        // The value of all ones on the line, in steps of the file's samples: 125^4 / 2^5 / 2^7.
        public decimal FullScale { get; set; } = 244140625m / 4096;

        // Simulates a bus that is too busy for one transfer.
        public void LoseOne()
        {
            Advance();
            this[Status] |= Overrun;
            Update();
        }

        public override void Reset()
        {
            base.Reset();
            cycles.Reset();
            SetFrequency();
            sound = null;
            silence = null;
            runs = false;
            Update();
        }

        public GPIO IRQ { get; }

        protected override uint ReadRegister(long offset)
        {
            Advance();
            switch(offset)
            {
            case Status:
                return this[Status] | (runs ? 1u << 14 : 0); // RCIP
            case Data:
                this[Status] &= ~Converted;
                Update();
                return this[Data];
            default:
                return base.ReadRegister(offset);
            }
        }

        protected override void WriteRegister(long offset, uint value)
        {
            Advance();
            if(offset < 0x100)
            {
                WriteChannel((int)(offset / 0x20), offset, value);
                return;
            }
            switch(offset)
            {
            case Control1:
                WriteControl(value);
                break;
            case Clear:
                this[Status] &= ~(value & Overrun);
                break;
            case Status:
            case Data:
                break;
            case Decimation:
                if(IsFilterEnabled)
                {
                    this.Log(LogLevel.Error, "FCR is locked while the filter is enabled");
                    break;
                }
                this[offset] = value;
                break;
            default:
                this[offset] = value;
                break;
            }
            Update();
        }

        // A channel's settings are locked while it is enabled; the output clock's are locked while the DFSDM is
        // (RM 24.7.1, 24.7.2).
        private void WriteChannel(int channel, long offset, uint value)
        {
            var enabled = (this[0x20 * channel] & ChannelEnable) != 0;
            var locked = 0u;
            if(offset % 0x20 == 0)
            {
                locked = (enabled ? 0xf10fu : 0) | (channel == 0 && IsEnabled ? 0x40ff0000u : 0);
            }
            else if(offset % 0x20 == 4)
            {
                locked = enabled ? 0xf8u : 0;
            }
            if(((this[offset] ^ value) & locked) != 0)
            {
                this.Log(LogLevel.Error, "0x{0:x} is locked while it is enabled", offset);
            }
            this[offset] = this[offset] & locked | value & ~locked;
            StartIfReady();
        }

        private void WriteControl(uint value)
        {
            // RDMAEN, RSYNC and FAST are locked while the filter is enabled (RM 24.8.1).
            var locked = IsFilterEnabled ? 0x20280000u : 0;
            if(((this[Control1] ^ value) & locked) != 0)
            {
                this.Log(LogLevel.Error, "CR1 is locked while the filter is enabled");
            }
            this[Control1] = (this[Control1] & locked | value & ~locked) & ~StartBit;
            if(!IsFilterEnabled)
            {
                runs = asked = false;
                this[Status] = 0;
                cycles.Enabled = false;
                return;
            }
            if((value & StartBit) != 0 && !runs)
            {
                asked = true;
                StartIfReady();
            }
        }

        private bool IsEnabled => (this[0] & 1u << 31) != 0;

        private bool IsFilterEnabled => IsEnabled && (this[Control1] & 1) != 0;

        private int Channel => (int)(this[Control1] >> 24 & 7);

        private uint ChannelConfig => this[0x20 * Channel];

        private int Order => (int)(this[Decimation] >> 29);
        private long Ratio => (this[Decimation] >> 16 & 0x3ff) + 1;
        private long Integrated => (this[Decimation] & 0xff) + 1;

        // CKOUT's divisor; 0: the output is off. The audio clock is not modelled.
        private long Divisor
        {
            get
            {
                var less = this[0] >> 16 & 0xff;
                return IsEnabled && less > 0 && (this[0] & 1u << 30) == 0 ? less + 1 : 0;
            }
        }

        // Whether the channel has a clock: the output clock, inside the chip. There is no external clock.
        private bool IsClocked => (ChannelConfig & ChannelEnable) != 0 && (ChannelConfig >> 2 & 3) == 1 &&
            (ChannelConfig >> 12 & 3) == 0 && (ChannelConfig & 2) == 0 && Divisor > 0;

        // RM 24.4.13, data output rate. The first conversion takes longer than a fast one; this is not
        // modelled.
        private long CyclesPerConversion
        {
            get
            {
                var order = Order == 0 ? 4 : Order;
                var more = (Order == 0 ? 2 : Order) + 1;
                var fast = (this[Control1] & 1u << 29) != 0 && (this[Control1] & 1u << 18) != 0;
                return Divisor * (fast ? Ratio * Integrated : Ratio * (Integrated - 1 + order) + more);
            }
        }

        private bool DmaServes => (this[Control1] & 1u << 21) != 0 && dma.Serves(DmaChannel, Request, false, Address + (uint)Data);

        private void StartIfReady()
        {
            if(asked && IsFilterEnabled && IsClocked && sound != null && !runs)
            {
                asked = false;
                runs = true;
                position = made = 0;
                cycles.Value = 0;
                cycles.Enabled = true;
                Plan();
            }
        }

        private void SetFrequency()
        {
            if(!HasClock)
            {
                runs = cycles.Enabled = false;
            }
            Advance();
            cycles.Frequency = Rcc.DfsdmClock;
        }

        // Latest time of the next check: each sample is in memory on time, so that a driver that reads a block
        // while the next one is written is detected.
        private void Plan()
        {
            if(runs && IsClocked)
            {
                cycles.Compare = (made + 1) * (ulong)CyclesPerConversion;
            }
        }

        // Computes the conversions that are due. A change of their length starts a new count.
        private void Advance()
        {
            if(!runs || !cycles.Enabled || advances)
            {
                return;
            }
            advances = true;
            if(machine.SystemBus.TryGetCurrentCPU(out var cpu))
            {
                cpu.SyncTime();
            }
            if(IsClocked)
            {
                var due = cycles.Value / (ulong)CyclesPerConversion;
                for(; runs && made < due; ++made)
                {
                    Convert();
                }
            }
            Update();
            advances = false;
        }

        private void Convert()
        {
            ReportSilence(WhySilent());
            var gain = (Order == 0 ? 2m * Ratio * Ratio : Power(Ratio, Order)) * Integrated;
            var density = silence != null ? -1m : (Heard() + Rest) / FullScale;
            // 32 bits inside, 24 outside (RM 24.4.13); overflow wraps around (assumed).
            long wide = (int)(long)Math.Round(Math.Max(-1m, Math.Min(1m, density)) * gain);
            var offset = (int)this[0x20 * Channel + 4] >> 8;
            var dropped = (int)(this[0x20 * Channel + 4] >> 3 & 0x1f);
            var nearest = dropped == 0 ? wide : (wide + (1L << (dropped - 1))) >> dropped;
            this[Data] = (uint)(nearest - offset) << 8 | (uint)Channel;
            position += (ulong)CyclesPerConversion;
            if(DmaServes)
            {
                dma.Put(DmaChannel, this[Data]);
            }
            else
            {
                this[Status] |= (this[Status] & Converted) != 0 ? Overrun : Converted;
            }
            if((this[Control1] & 1u << 18) == 0) // RCONT
            {
                runs = cycles.Enabled = false;
            }
        }

        private static decimal Power(decimal value, int exponent)
        {
            return exponent == 0 ? 1 : value * Power(value, exponent - 1);
        }

        // Linear interpolation between the file's samples.
        private decimal Heard()
        {
            var frequency = (ulong)Rcc.DfsdmClock;
            var at = position * Rate / frequency;
            var rest = position * Rate % frequency;
            var here = Sample(at);
            return rest == 0 ? here : here + (decimal)((Sample(at + 1) - here) * (long)rest) / frequency;
        }

        private int Sample(ulong at)
        {
            var i = 2 * at;
            return i + 1 < (ulong)sound.Length ? (short)(sound[i] | sound[i + 1] << 8) : 0;
        }

        private string WhySilent()
        {
            var clock = Rcc.DfsdmClock / Divisor;
            if(!port.IsFunction(ClockPin, Function))
            {
                return $"pin {ClockPin} is not CKOUT";
            }
            if(!port.IsFunction(DataPin, Function))
            {
                return $"pin {DataPin} is not DATIN{DataChannel}";
            }
            if((Channel + (int)(ChannelConfig >> 8 & 1)) % 8 != DataChannel) // CHINSEL
            {
                return $"channel {Channel} has no microphone";
            }
            if(clock < LowestClock || clock > HighestClock)
            {
                return $"they take no clock of {clock} Hz";
            }
            return null;
        }

        private void ReportSilence(string why)
        {
            if(why != silence && why != null)
            {
                this.Log(LogLevel.Error, "the microphones are silent: {0}", why);
            }
            silence = why;
        }

        private void Update()
        {
            // CR2: REOCIE, ROVRIE
            IRQ.Set((this[Status] & this[Control2] & (Converted | Overrun)) != 0);
        }

        private readonly IMachine machine;
        private readonly Stm32L4_Dma dma;
        private readonly Stm32L4_Gpio port;
        private readonly ComparingTimer cycles;
        private byte[] sound;
        private string silence; // the reason for the silence
        private bool asked;     // a start waits for a clock
        private bool runs;
        private bool advances;
        private ulong position; // cycles since the start
        private ulong made;     // conversions since the start

        private const ulong Rate = 16000;
        private const uint ChannelEnable = 1 << 7;
        private const uint StartBit = 1 << 17;
        private const uint Converted = 1 << 1;
        private const uint Overrun = 1 << 3;
        private const long Control1 = 0x100;
        private const long Control2 = 0x104;
        private const long Status = 0x108;
        private const long Clear = 0x10c;
        private const long Decimation = 0x114;
        private const long Data = 0x11c;
    }
}
