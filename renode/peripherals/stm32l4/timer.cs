// SPDX-License-Identifier: Apache-2.0
namespace Antmicro.Renode.Peripherals.Stm32L4
{
    using Antmicro.Renode.Core;
    using Antmicro.Renode.Peripherals.Timers;

    // TIM2 (RM 31): counts up through 32 bits, with compare register 1. Nothing else is modelled.
    public class Stm32L4_Timer : Stm32L4Registers
    {
        public Stm32L4_Timer(IMachine machine, Stm32L4_Rcc rcc) : base(rcc, 0x58, 0)
        {
            this.machine = machine;
            IRQ = new GPIO();
            timer = new ComparingTimer(machine.ClockSource, 1, this, "counter", limit: 1L << 32, compare: 1L << 32,
                eventEnabled: true);
            timer.CompareReached += () =>
            {
                this[Status] |= Reached;
                Update();
            };
            rcc.Changed += SetFrequency;
            Reset();
        }

        public override void Reset()
        {
            base.Reset();
            timer.Reset();
            prescaler = 0;
            SetFrequency();
            Update();
        }

        public GPIO IRQ { get; }

        protected override uint ReadRegister(long offset)
        {
            if(offset == Count)
            {
                Synchronize();
                return (uint)timer.Value;
            }
            return base.ReadRegister(offset);
        }

        protected override void WriteRegister(long offset, uint value)
        {
            Synchronize();
            switch(offset)
            {
            case Control:
                this[Control] = value;
                timer.Enabled = (value & 1) != 0;
                break;
            case Status: // writing zeros clears flags
                this[Status] &= value;
                break;
            case Events:
                if((value & 1) != 0) // an update: applies the prescaler
                {
                    prescaler = this[Prescaler] & 0xffff;
                    SetFrequency();
                    timer.Value = 0;
                    this[Status] |= 1;
                }
                break;
            case Count:
                timer.Value = value;
                break;
            case Compare:
                this[Compare] = value;
                timer.Compare = value;
                break;
            default:
                this[offset] = value;
                break;
            }
            Update();
        }

        private void SetFrequency()
        {
            timer.Frequency = System.Math.Max(1, Rcc.TimerClock / (prescaler + 1));
        }

        private void Synchronize()
        {
            if(machine.SystemBus.TryGetCurrentCPU(out var cpu))
            {
                cpu.SyncTime();
            }
        }

        private void Update() => IRQ.Set((this[Status] & this[Interrupts] & (Reached | 1)) != 0);

        private readonly IMachine machine;
        private readonly ComparingTimer timer;
        private uint prescaler;

        private const uint Reached = 1 << 1;
        private const long Control = 0x00;
        private const long Interrupts = 0x0c;
        private const long Status = 0x10;
        private const long Events = 0x14;
        private const long Count = 0x24;
        private const long Prescaler = 0x28;
        private const long Compare = 0x34;
    }
}
