// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Stm32L4
{
    using System;
    using System.Collections.Generic;

    using Antmicro.Renode.Core;
    using Antmicro.Renode.Logging;
    using Antmicro.Renode.Peripherals.Bus;
    using Antmicro.Renode.Peripherals.CPU;
    using Antmicro.Renode.Peripherals.Timers;
    using Antmicro.Renode.Time;

    // RCC (RM 6): MSI, HSI16 and the main PLL, with their start-up times; the bus clocks; the cause of the last
    // reset. A core that runs faster than its flash or its voltage allows stops; without a cache, it waits for
    // flash (assumed: it is half as fast).
    public class Stm32L4_Rcc : IDoubleWordPeripheral, IKnownSize
    {
        public Stm32L4_Rcc(IMachine machine, BaseCPU cpu)
        {
            this.machine = machine;
            this.cpu = cpu;
            hsi = StartTimer("hsi", HsiReady);
            pll = StartTimer("pll", PllReady);
            Reset();
            status = WasPower | WasPin;
        }

        // The cause of the next reset; by default software.
        public uint Cause { private get; set; } = WasSoftware;

        public event Action Changed;

        public bool IsEnabled(long register, int bit) => (this[register] >> bit & 1) != 0;

        // In Hz (RM 6.2.8, 6.2.14).
        public long SystemClock => Frequency(switched);
        public long CoreClock => SystemClock / AhbDividers[this[Config] >> 4 & 0xf];
        public long Apb1Clock => CoreClock / ApbDividers[this[Config] >> 8 & 7];
        public long Apb2Clock => CoreClock / ApbDividers[this[Config] >> 11 & 7];
        public long TimerClock => Apb1Clock * (ApbDividers[this[Config] >> 8 & 7] == 1 ? 1 : 2);
        public long DfsdmClock => (this[Independent] & 1u << 31) != 0 ? SystemClock : Apb2Clock;

        public long Usart1Clock
        {
            get
            {
                switch(this[Independent] & 3)
                {
                case 0: return Apb2Clock;
                case 1: return SystemClock;
                case 2: return (this[Control] & HsiReady) != 0 ? HsiFrequency : 0;
                default: return 0; // LSE, which is never started here
                }
            }
        }

        // PWR's and FLASH's.
        public uint VoltageRange
        {
            set
            {
                voltageRange = value;
                CheckSpeed();
            }
        }

        public void SetFlash(uint states, bool isCached)
        {
            waitStates = states;
            cached = isCached;
            CheckSpeed();
            Pace();
        }

        public uint ReadDoubleWord(long offset)
        {
            switch(offset)
            {
            case Config:
                return this[Config] & ~0xcu | switched << 2;
            case Status:
                return status;
            default:
                return this[offset];
            }
        }

        public void WriteDoubleWord(long offset, uint value)
        {
            switch(offset)
            {
            case Control:
                const uint readOnly = MsiReady | HsiReady | PllReady;
                this[Control] = value & ~readOnly | this[Control] & readOnly;
                Start(hsi, HsiOn, HsiReady, HsiStartUs);
                Start(pll, PllOn, PllReady, PllStartUs);
                break;
            case PllConfig:
                if((this[Control] & PllOn) != 0)
                {
                    this.Log(LogLevel.Error, "PLLCFGR is locked while the PLL is on");
                    return;
                }
                this[PllConfig] = value;
                break;
            case Status:
                status = (value & Forget) != 0 ? 0 : status;
                break;
            default:
                this[offset] = value;
                break;
            }
            Switch();
        }

        public void Reset()
        {
            values.Clear();
            this[Control] = 0x63; // MSI is on, at 4 MHz
            this[PllConfig] = 0x1000;
            this[0x48] = 0x100; // AHB1ENR: FLASHEN
            status |= Cause | WasPin;
            Cause = WasSoftware;
            hsi.Reset();
            pll.Reset();
            switched = 0;
            voltageRange = 1;
            waitStates = 0;
            cached = true;
            cpu.PerformanceInMips = 4;
            lastCoreClock = CoreClock;
            if(cpu.IsHalted)
            {
                cpu.IsHalted = false;
            }
            Changed?.Invoke();
        }

        public long Size => 0x400;

        public const uint WasSoftware = 1 << 28;
        public const uint WasWatchdog = 1 << 29;

        private LimitTimer StartTimer(string name, uint ready)
        {
            var timer = new LimitTimer(machine.ClockSource, 1000000, this, name, limit: 1, eventEnabled: true,
                workMode: WorkMode.OneShot);
            timer.LimitReached += () =>
            {
                this[Control] |= ready;
                Switch();
            };
            return timer;
        }

        private void Start(LimitTimer timer, uint on, uint ready, ulong us)
        {
            if((this[Control] & on) == 0)
            {
                timer.Enabled = false;
                this[Control] &= ~ready;
            }
            else if((this[Control] & ready) == 0 && !timer.Enabled && (on != PllOn || PllLocks))
            {
                timer.Limit = us;
                timer.ResetValue();
                timer.Enabled = true;
            }
        }

        // The core switches to another clock when that clock is ready.
        private void Switch()
        {
            var wanted = this[Config] & 3;
            if(wanted != switched)
            {
                var ready = new[] { MsiReady, HsiReady, 0u, PllReady }[wanted];
                if((this[Control] & ready) == 0 || (wanted == 3 && Frequency(3) == 0))
                {
                    return;
                }
                switched = wanted;
            }
            if(CoreClock != lastCoreClock)
            {
                lastCoreClock = CoreClock;
                Pace();
                CheckSpeed();
            }
            Changed?.Invoke();
        }

        private void Pace()
        {
            var mips = (uint)Math.Max(1, CoreClock / 1000000 / (cached || waitStates == 0 ? 1 : 2));
            // Takes effect after the core's time slice, within a quantum.
            machine.LocalTimeSource.ExecuteInNearestSyncedState(_ => cpu.PerformanceInMips = mips);
        }

        // RM 3.3.3, 5.1.8.
        private void CheckSpeed()
        {
            var highest = voltageRange == 1
                ? Math.Min(16000000 * (waitStates + 1), 80000000)
                : waitStates < 3 ? 6000000 * (waitStates + 1) : 26000000;
            if(CoreClock > highest)
            {
                this.Log(LogLevel.Error, "{0} Hz with {1} wait states in range {2}: the core reads wrong data",
                    CoreClock, waitStates, voltageRange);
                machine.LocalTimeSource.ExecuteInNearestSyncedState(_ => cpu.IsHalted = true);
            }
        }

        private long Frequency(uint source)
        {
            switch(source)
            {
            case 0:
                return (this[Control] & 8) != 0 ? MsiFrequencies[Math.Min(this[Control] >> 4 & 0xf, 11)] : 4000000;
            case 1:
                return HsiFrequency;
            case 3:
                var output = Vco / (2 * ((this[PllConfig] >> 25 & 3) + 1));
                return (this[PllConfig] & 1u << 24) != 0 ? output : 0;
            default:
                return 0;
            }
        }

        private long PllInput
        {
            get
            {
                var source = this[PllConfig] & 3;
                var runs = source == 1 || (source == 2 && (this[Control] & HsiReady) != 0);
                return runs ? Frequency(source - 1) / ((this[PllConfig] >> 4 & 7) + 1) : 0;
            }
        }

        private long Vco => PllInput * (this[PllConfig] >> 8 & 0x7f);

        // DS, PLL characteristics, in range 1.
        private bool PllLocks => PllInput >= 4000000 && PllInput <= 16000000 &&
            (this[PllConfig] >> 8 & 0x7f) >= 8 && Vco >= 64000000 && Vco <= 344000000;

        private uint this[long offset]
        {
            get => values.TryGetValue(offset, out var value) ? value : 0;
            set => values[offset] = value;
        }

        private readonly IMachine machine;
        private readonly BaseCPU cpu;
        private readonly LimitTimer hsi;
        private readonly LimitTimer pll;
        private readonly Dictionary<long, uint> values = new Dictionary<long, uint>();
        private uint switched; // SWS
        private uint status;
        private uint voltageRange;
        private uint waitStates;
        private bool cached;
        private long lastCoreClock;

        private static readonly long[] MsiFrequencies = { 100000, 200000, 400000, 800000, 1000000, 2000000,
            4000000, 8000000, 16000000, 24000000, 32000000, 48000000 };
        private static readonly long[] AhbDividers = { 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 8, 16, 64, 128, 256, 512 };
        private static readonly long[] ApbDividers = { 1, 1, 1, 1, 2, 4, 8, 16 };

        private const long HsiFrequency = 16000000;
        private const ulong HsiStartUs = 5;  // DS, HSI16: maximum stabilization time
        private const ulong PllStartUs = 40; // DS, PLL: maximum lock time
        private const uint MsiReady = 1 << 1;
        private const uint HsiOn = 1 << 8;
        private const uint HsiReady = 1 << 10;
        private const uint PllOn = 1 << 24;
        private const uint PllReady = 1 << 25;
        private const uint Forget = 1 << 23;
        private const uint WasPin = 1 << 26;
        private const uint WasPower = 1 << 27;
        private const long Control = 0x00;
        private const long Config = 0x08;
        private const long PllConfig = 0x0c;
        private const long Independent = 0x88;
        private const long Status = 0x94;
    }
}
