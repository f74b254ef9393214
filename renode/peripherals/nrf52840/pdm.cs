// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Nrf52840
{
    using System;
    using System.IO;
    using System.Linq;

    using Antmicro.Renode.Core;
    using Antmicro.Renode.Exceptions;
    using Antmicro.Renode.Logging;
    using Antmicro.Renode.Peripherals.Bus;
    using Antmicro.Renode.Peripherals.GPIOPort;
    using Antmicro.Renode.Peripherals.Timers;
    using Antmicro.Renode.Time;

    // PDM (6.15) with the board's microphone. Clock, ratio and HFCLK set the sampling rate. The file's sound is
    // sampled at this rate, so a wrong rate gives wrong sound. There is sound only if the microphone has power
    // and a valid clock, and the peripheral reads its data pin at the right edge; otherwise samples are zero
    // (assumed for an undriven line).
    public class Nrf52840_Pdm : IDoubleWordPeripheral, IKnownSize
    {
        public Nrf52840_Pdm(IMachine machine, Nrf52840_Power power, NRF52840_GPIO port0,
            NRF52840_GPIO port1)
        {
            this.machine = machine;
            this.power = power;
            pins = new Nrf52840_Pins(port0, port1);
            words = new LimitTimer(machine.ClockSource, power.Frequency / 2, this, "words",
                limit: 1, eventEnabled: true);
            words.LimitReached += EndWord;
            power.ClockChanged += () => words.Frequency = power.Frequency / 2;
            Reset();
        }

        // Appends raw samples: signed 16 bits, little-endian, 16 kHz. Silence follows the last one. Without any
        // file the peripheral is broken: it delivers no blocks.
        public void SetInputFile(string path)
        {
            if(!File.Exists(path))
            {
                throw new RecoverableException($"{path}: no such file");
            }
            sound = (sound ?? new byte[0]).Concat(File.ReadAllBytes(path)).ToArray();
        }

        // How the board connects the microphone: pin n of port p is 32 p + n. A negative power pin: the
        // microphone always has power.
        public int PowerPin { get; set; }
        public int ClockPin { get; set; }
        public int DataPin { get; set; }

        // The edge of the clock after which the microphone drives its data: 0 falling, 1 rising.
        public int Edge { get; set; }

        // The value of GAINL at which the file's samples are unchanged.
        public int FileGain { get; set; } = 0x28;

        // The microphone's clock range, in Hz; below it, the microphone sleeps.
        public long LowestClock { get; set; }
        public long HighestClock { get; set; }

        public uint ReadDoubleWord(long offset) => registers.Read(offset);

        public void WriteDoubleWord(long offset, uint value)
        {
            switch(offset)
            {
            case TaskStart:
                if((value & 1) != 0 && (registers[Enable] & 1) != 0)
                {
                    Start();
                }
                break;
            case TaskStop:
                words.Enabled = false;
                registers.Raise(EventStopped);
                break;
            default:
                registers.Write(offset, value);
                break;
            }
        }

        public void Reset()
        {
            registers.Clear();
            registers[Clock] = 0x08400000;
            registers[GainLeft] = registers[GainRight] = 0x28;
            registers[SelectClock] = registers[SelectData] = ~0u;
            words.Reset();
            sound = null;
            silence = null;
        }

        public GPIO IRQ => registers.IRQ;

        public long Size => 0x1000;

        // PDMCLKCTRL divides 32 MHz (6.15, PDMCLKCTRL); 0: a value that is not documented.
        private uint Divider
        {
            get
            {
                switch(registers[Clock])
                {
                case 0x08000000: return 32;
                case 0x08400000: return 31;
                case 0x08800000: return 30;
                case 0x09800000: return 26;
                case 0x0a000000: return 25;
                case 0x0a800000: return 24;
                default: return 0;
                }
            }
        }

        private ulong TicksPerSample => Divider * (ulong)((registers[Ratio] & 1) != 0 ? 80 : 64);

        private bool Stereo => (registers[Mode] & 1) == 0;

        private void Start()
        {
            if(sound == null || Divider == 0)
            {
                return;
            }
            position = 0;
            Latch();
        }

        // The next block's buffer is latched when the block begins (6.15.4).
        private void Latch()
        {
            pointer = registers[SamplePointer];
            count = registers[SampleCount] & 0x7fff;
            written = 0;
            words.Enabled = false;
            if(count > 0)
            {
                StartWord();
                ReportSilence(WhySilent());
            }
            registers.Raise(EventStarted);
        }

        // The DMA writes 32 bits (two samples) at a time, so that a driver that reads a block while the
        // next one is written is detected.
        private uint WordSamples => Math.Min(2, count - written);

        private void StartWord()
        {
            words.Limit = TicksPerSample * (Stereo ? 1 : WordSamples);
            words.ResetValue();
            words.Enabled = true;
        }

        private void EndWord()
        {
            var bytes = new byte[2 * WordSamples];
            for(var i = 0; i < bytes.Length; i += 2)
            {
                var right = Stereo && i == 2;
                var sample = right || silence != null ? 0 : Amplified(Heard());
                bytes[i] = (byte)sample;
                bytes[i + 1] = (byte)(sample >> 8);
                position += right ? 0 : TicksPerSample;
            }
            machine.SystemBus.WriteBytes(bytes, pointer + 2 * written);
            written += (uint)bytes.Length / 2;
            if(written < count)
            {
                StartWord();
                return;
            }
            registers.Raise(EventEnd);
            Latch();
        }

        // Linear interpolation between the file's samples.
        private int Heard()
        {
            var scaled = position * Rate;
            var frequency = (ulong)power.Frequency / 2;
            var at = scaled / frequency;
            var rest = (long)(scaled % frequency);
            var here = Sample(at);
            return here + (int)((Sample(at + 1) - here) * rest / (long)frequency);
        }

        private int Sample(ulong at)
        {
            var i = 2 * at;
            return i + 1 < (ulong)sound.Length ? (short)(sound[i] | sound[i + 1] << 8) : 0;
        }

        // Steps of 0.5 dB (6.15, GAINL).
        private int Amplified(int sample)
        {
            var steps = (int)Math.Min(registers[GainLeft] & 0x7f, 0x50) - FileGain;
            var value = Math.Round(sample * Math.Pow(10, steps / 40.0));
            return (int)Math.Max(short.MinValue, Math.Min(short.MaxValue, value));
        }

        private string WhySilent()
        {
            var clock = power.Frequency / 2 / Divider;
            if(PowerPin >= 0 && !pins.IsHigh(PowerPin))
            {
                return $"its power pin {Nrf52840_Pins.Name(PowerPin)} is not high";
            }
            if(!Nrf52840_Pins.Selects(registers[SelectClock], ClockPin) || !pins.IsOutput(ClockPin))
            {
                return $"its clock is {Nrf52840_Pins.Name(ClockPin)}, an output that PSEL.CLK selects";
            }
            if(!Nrf52840_Pins.Selects(registers[SelectData], DataPin) || !pins.IsInput(DataPin))
            {
                return $"its data is {Nrf52840_Pins.Name(DataPin)}, an input that PSEL.DIN selects";
            }
            if((registers[Mode] >> 1 & 1) != Edge)
            {
                return "its data is not there at this edge";
            }
            if(clock < LowestClock || clock > HighestClock)
            {
                return $"it takes no clock of {clock} Hz";
            }
            return null;
        }

        private void ReportSilence(string why)
        {
            if(why != silence && why != null)
            {
                this.Log(LogLevel.Error, "the microphone is silent: {0}", why);
            }
            silence = why;
        }

        private readonly IMachine machine;
        private readonly Nrf52840_Power power;
        private readonly Nrf52840_Pins pins;
        private readonly Nrf52840_Registers registers = new Nrf52840_Registers();
        private readonly LimitTimer words;
        private byte[] sound;
        private string silence; // the reason for the silence
        private ulong position; // ticks since the start
        private uint pointer;
        private uint count;
        private uint written; // number of samples in the block

        private const ulong Rate = 16000;
        private const long TaskStart = 0x000;
        private const long TaskStop = 0x004;
        private const long EventStarted = 0x100;
        private const long EventStopped = 0x104;
        private const long EventEnd = 0x108;
        private const long Enable = 0x500;
        private const long Clock = 0x504;
        private const long Mode = 0x508;
        private const long GainLeft = 0x518;
        private const long GainRight = 0x51c;
        private const long Ratio = 0x520;
        private const long SelectClock = 0x540;
        private const long SelectData = 0x544;
        private const long SamplePointer = 0x560;
        private const long SampleCount = 0x564;
    }
}
