// SPDX-License-Identifier: Apache-2.0
// The registers that the USB serial port uses. Numbers in brackets are sections of the nRF52840
// Product Specification (PS) v1.7; registers of USBD are listed in 6.35.13 there. The name after
// each address is the SVD's, which tests/firmware/test_registers.py compares.
#ifndef KWS_BOARDS_NRF52840_USB_NRF52840_USBD_H_
#define KWS_BOARDS_NRF52840_USB_NRF52840_USBD_H_

#include <cstdint>

namespace kws {
namespace board {

// Tasks: writing 1 starts them. In an array, the register of endpoint n is 4 n further.
constexpr uint32_t kUsbdTaskStartIn = 0x40027004;   // USBD.TASKS_STARTEPIN[0] [6.35.8]
constexpr uint32_t kUsbdTaskStartOut = 0x40027028;  // USBD.TASKS_STARTEPOUT[0] [6.35.8]
constexpr uint32_t kUsbdTaskReceive0 = 0x4002704c;  // USBD.TASKS_EP0RCVOUT [6.35.9]
constexpr uint32_t kUsbdTaskStatus0 = 0x40027050;   // USBD.TASKS_EP0STATUS [6.35.9]
constexpr uint32_t kUsbdTaskStall0 = 0x40027054;    // USBD.TASKS_EP0STALL [6.35.9]

// Events: 1 when it happened, until 0 is written.
constexpr uint32_t kUsbdReset = 0x40027100;      // USBD.EVENTS_USBRESET [6.35.6]
constexpr uint32_t kUsbdEndIn = 0x40027108;      // USBD.EVENTS_ENDEPIN[0] [6.35.8]
constexpr uint32_t kUsbdDataDone0 = 0x40027128;  // USBD.EVENTS_EP0DATADONE [6.35.9]
constexpr uint32_t kUsbdEndOut = 0x40027130;     // USBD.EVENTS_ENDEPOUT[0] [6.35.8]
constexpr uint32_t kUsbdSof = 0x40027154;        // USBD.EVENTS_SOF [6.35.11]
constexpr uint32_t kUsbdEvent = 0x40027158;      // USBD.EVENTS_USBEVENT [6.35.4, 6.35.7]
constexpr uint32_t kUsbdSetup0 = 0x4002715c;     // USBD.EVENTS_EP0SETUP [6.35.9]
constexpr uint32_t kUsbdData = 0x40027160;       // USBD.EVENTS_EPDATA [6.35.10]

// Bit n enables the interrupt of the event at 0x100 + 4 n.
constexpr uint32_t kUsbdInten = 0x40027300;       // USBD.INTEN [6.35.13]
constexpr uint32_t kUsbdIntReset = 1u << 0;       // USBD.INTEN.USBRESET=Enabled
constexpr uint32_t kUsbdIntDataDone0 = 1u << 10;  // USBD.INTEN.EP0DATADONE=Enabled
constexpr uint32_t kUsbdIntSof = 1u << 21;        // USBD.INTEN.SOF=Enabled
constexpr uint32_t kUsbdIntEvent = 1u << 22;      // USBD.INTEN.USBEVENT=Enabled
constexpr uint32_t kUsbdIntSetup0 = 1u << 23;     // USBD.INTEN.EP0SETUP=Enabled
constexpr uint32_t kUsbdIntData = 1u << 24;       // USBD.INTEN.EPDATA=Enabled

// The cause of EVENTS_USBEVENT; write 1 to clear.
constexpr uint32_t kUsbdCause = 0x40027400;      // USBD.EVENTCAUSE [6.35.4, 6.35.7]
constexpr uint32_t kUsbdCauseSuspend = 1u << 8;  // USBD.EVENTCAUSE.SUSPEND=Detected
constexpr uint32_t kUsbdCauseResume = 1u << 9;   // USBD.EVENTCAUSE.RESUME=Detected
constexpr uint32_t kUsbdCauseReady = 1u << 11;   // USBD.EVENTCAUSE.READY=Ready
constexpr uint32_t kUsbdCauseAll = 0xf01;

// Which endpoints the host took data from (bit n) or gave data to (bit 16 + n); write 1 to clear.
constexpr uint32_t kUsbdDataStatus = 0x4002746c;  // USBD.EPDATASTATUS [6.35.10]

// The SETUP packet, a byte each.
constexpr uint32_t kUsbdRequestType = 0x40027480;  // USBD.BMREQUESTTYPE [6.35.9]
constexpr uint32_t kUsbdRequest = 0x40027484;      // USBD.BREQUEST [6.35.9]
constexpr uint32_t kUsbdValueLow = 0x40027488;     // USBD.WVALUEL [6.35.9]
constexpr uint32_t kUsbdValueHigh = 0x4002748c;    // USBD.WVALUEH [6.35.9]
constexpr uint32_t kUsbdIndexLow = 0x40027490;     // USBD.WINDEXL [6.35.9]
constexpr uint32_t kUsbdIndexHigh = 0x40027494;    // USBD.WINDEXH [6.35.9]
constexpr uint32_t kUsbdLengthLow = 0x40027498;    // USBD.WLENGTHL [6.35.9]
constexpr uint32_t kUsbdLengthHigh = 0x4002749c;   // USBD.WLENGTHH [6.35.9]

// Bytes of the last received packet. Writing any value admits the next packet and drops a waiting
// one. Must not be read while DMA runs.
constexpr uint32_t kUsbdSizeOut = 0x400274a0;  // USBD.SIZE.EPOUT[0] [6.35.8, 6.35.10]

constexpr uint32_t kUsbdEnable = 0x40027500;  // USBD.ENABLE [6.35.4]
constexpr uint32_t kUsbdPullup = 0x40027504;  // USBD.USBPULLUP [6.35.5]

// Endpoint number, direction and what to do. DTOGGLE: select the endpoint with kUsbdToggleSelect
// first, then set DATA0.
constexpr uint32_t kUsbdToggle = 0x4002750c;  // USBD.DTOGGLE [6.35.10]
constexpr uint32_t kUsbdToggleSelect = 0u << 8;
constexpr uint32_t kUsbdToggleData0 = 1u << 8;   // USBD.DTOGGLE.VALUE=Data0
constexpr uint32_t kUsbdInEnable = 0x40027510;   // USBD.EPINEN [6.35.8]
constexpr uint32_t kUsbdOutEnable = 0x40027514;  // USBD.EPOUTEN [6.35.8]
constexpr uint32_t kUsbdStall = 0x40027518;      // USBD.EPSTALL [6.35.8]
constexpr uint32_t kUsbdStallOn = 1u << 8;       // USBD.EPSTALL.STALL=Stall
constexpr uint32_t kUsbdDirectionIn = 1u << 7;   // USBD.EPSTALL.IO=In, and DTOGGLE.IO

// DMA: address in RAM and bytes. The registers of endpoint n are kUsbdDmaStep n further.
constexpr uint32_t kUsbdInPointer = 0x40027600;   // USBD.EPIN[0].PTR [6.35.8]
constexpr uint32_t kUsbdInCount = 0x40027604;     // USBD.EPIN[0].MAXCNT [6.35.8]
constexpr uint32_t kUsbdOutPointer = 0x40027700;  // USBD.EPOUT[0].PTR [6.35.8]
constexpr uint32_t kUsbdOutCount = 0x40027704;    // USBD.EPOUT[0].MAXCNT [6.35.8]
constexpr uint32_t kUsbdDmaStep = 0x14;

// Undocumented registers, from the workarounds in the nRF52840 errata document (anomalies
// 171, 187, 199, 211). The first unlocks, then locks the next two.
constexpr uint32_t kUsbdErrataLock = 0x4006ec00;
constexpr uint32_t kUsbdErrataKey = 0x9375;
constexpr uint32_t kUsbdErrata171 = 0x4006ec14;
constexpr uint32_t kUsbdErrata187 = 0x4006ed14;
constexpr uint32_t kUsbdErrata199 = 0x40027c1c;

// Also undocumented: the USB core's own registers, through an address and a window.
// Nordic's driver (nrfx_usbd.c, usbd_ep_abort) uses them to drop a packet that waits in an IN
// endpoint for the host. Endpoint 0: bit 2 at 0x7b4. Endpoint n: bit 1 at 0x7b6 + 2 (n - 1).
constexpr uint32_t kUsbdErrataCoreAddress = 0x40027800;
constexpr uint32_t kUsbdErrataCoreWindow = 0x40027804;

// The supply of USBD [5.3.1.7 USB supply, 5.3.7 registers].
constexpr uint32_t kPowerUsbDetected = 0x4000011c;  // POWER.EVENTS_USBDETECTED [5.3]
constexpr uint32_t kPowerUsbRemoved = 0x40000120;   // POWER.EVENTS_USBREMOVED [5.3]
constexpr uint32_t kPowerUsbReady = 0x40000124;     // POWER.EVENTS_USBPWRRDY [5.3]
constexpr uint32_t kPowerIntenSet = 0x40000304;     // POWER.INTENSET [5.3]
constexpr uint32_t kPowerIntUsb = 7u << 7;          // these three
constexpr uint32_t kPowerUsbStatus = 0x40000438;    // POWER.USBREGSTATUS [5.3]
constexpr uint32_t kPowerUsbVbus = 1u << 0;      // POWER.USBREGSTATUS.VBUSDETECT=VbusPresent: 5 V
constexpr uint32_t kPowerUsbOutput = 1u << 1;    // POWER.USBREGSTATUS.OUTPUTRDY=Ready: 3.3 V
constexpr uint32_t kPowerRetained = 0x4000051c;  // POWER.GPREGRET, survives a reset [5.3]

constexpr uint32_t kDeviceId = 0x10000060;  // FICR.DEVICEID[0], two words [4.4]

// Interrupt numbers [4.2.4]. ARM DDI 0403E: B3.4 (NVIC), B3.2.6 (AIRCR).
constexpr uint32_t kNvicEnable = 0xe000e100;
constexpr uint32_t kNvicPending = 0xe000e200;
constexpr uint32_t kNvicPriority = 0xe000e400;
constexpr uint32_t kSystemReset = 0xe000ed0c;
constexpr uint32_t kSystemResetRequest = 0x05fa0004;
constexpr uint32_t kPowerClockInterrupt = 0;  // POWER
constexpr uint32_t kUsbdInterrupt = 39;       // USBD

}  // namespace board
}  // namespace kws

#endif  // KWS_BOARDS_NRF52840_USB_NRF52840_USBD_H_
