// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Nrf52840
{
    using System;

    using Antmicro.Renode.Core;
    using Antmicro.Renode.Peripherals.Bus;
    using Antmicro.Renode.Peripherals.Timers;
    using Antmicro.Renode.Time;

    // POWER and CLOCK, which share a page (5.3, 5.4): the crystal, which runs some time after its start; the
    // registers that keep their values in a reset; the USB cable. The low-frequency clock and the reset cause
    // are not modelled.
    public class Nrf52840_Power : IDoubleWordPeripheral, IKnownSize
    {
        public Nrf52840_Power(IMachine machine)
        {
            this.machine = machine;
            crystal = new LimitTimer(machine.ClockSource, 1000000, this, "crystal", limit: StartUs,
                eventEnabled: true, workMode: WorkMode.OneShot);
            crystal.LimitReached += () =>
            {
                if(CrystalIsBroken)
                {
                    return;
                }
                registers[HfclkStat] = 0x10001; // STATE: running; SRC: crystal
                registers.Raise(HfclkStarted);
                ClockChanged?.Invoke();
            };
        }

        // Plugs the USB cable in, or pulls it out.
        public void Plug(bool plugged)
        {
            registers[UsbRegStatus] = plugged ? 3u : 0;
            registers.Raise(plugged ? UsbDetected : UsbRemoved);
            if(plugged)
            {
                registers.Raise(UsbPowerReady);
            }
        }

        public bool CrystalIsBroken { get; set; }

        // Whether a debugger has access (4.8; nrfx, mdk/nrf52_erratas.h, configuration 249). Newer chips check
        // UICR and a register that is 0 after each reset; older chips do not have this register.
        public string DebugPort
        {
            get
            {
                var setting = machine.SystemBus.ReadDoubleWord(UicrApprotect) & 0xff;
                if(machine.SystemBus.ReadDoubleWord(Revision) < FirstLocking)
                {
                    var touched = registers[ApprotectDisable] != 0;
                    return touched ? "a register that is not there was written" : setting == 0xff ? "open" : "locked";
                }
                return setting == 0x5a && (registers[ApprotectDisable] & 0xff) == 0x5a ? "open" : "locked";
            }
        }

        // Frequency of HFCLK, in Hz. Without the crystal it is HFINT, which is typically 1.5 % off (5.4.4.1).
        public long Frequency => CrystalRuns ? 64000000 : 64960000;

        public event Action ClockChanged;

        public uint ReadDoubleWord(long offset) => registers.Read(offset);

        public void WriteDoubleWord(long offset, uint value)
        {
            switch(offset)
            {
            case HfclkStart:
                registers[HfclkRun] |= value & 1;
                if((value & 1) != 0 && !CrystalRuns)
                {
                    crystal.ResetValue();
                    crystal.Enabled = true;
                }
                break;
            case HfclkStop:
                crystal.Enabled = false;
                registers[HfclkRun] = registers[HfclkStat] = 0;
                ClockChanged?.Invoke();
                break;
            case HfclkRun: // these are read-only
            case HfclkStat:
            case UsbRegStatus:
                break;
            default:
                registers.Write(offset, value);
                break;
            }
        }

        public void Reset()
        {
            var retained = registers[GpregRet];
            var retained2 = registers[GpregRet2];
            var cable = registers[UsbRegStatus];
            registers.Clear();
            registers[GpregRet] = retained;
            registers[GpregRet2] = retained2;
            registers[UsbRegStatus] = cable;
            crystal.Reset();
            ClockChanged?.Invoke();
        }

        public GPIO IRQ => registers.IRQ;

        public long Size => 0x1000;

        private bool CrystalRuns => registers[HfclkStat] != 0;

        private readonly Nrf52840_Registers registers = new Nrf52840_Registers();
        private readonly LimitTimer crystal;
        private readonly IMachine machine;

        private const ulong Revision = 0x10000134;
        private const ulong UicrApprotect = 0x10001208;
        private const uint FirstLocking = 5;
        private const ulong StartUs = 360; // 5.4.4.3, typical
        private const long HfclkStart = 0x000;
        private const long HfclkStop = 0x004;
        private const long HfclkStarted = 0x100;
        private const long UsbDetected = 0x11c;
        private const long UsbRemoved = 0x120;
        private const long UsbPowerReady = 0x124;
        private const long HfclkRun = 0x408;
        private const long HfclkStat = 0x40c;
        private const long UsbRegStatus = 0x438;
        private const long ApprotectDisable = 0x558;
        private const long GpregRet = 0x51c;
        private const long GpregRet2 = 0x520;
    }
}
