*** Comments ***
SPDX-License-Identifier: Apache-2.0
The firmware of a board with an nRF52840 as flashed: detections, LEDs, commands and failures. Run by
`renode-test --variable BOARD:nano33ble renode/nrf52840.robot`, with kws on PATH or with --variable
KWS:.venv/bin/kws.
All timeouts are seconds of the board's time.


*** Settings ***
Resource            ${CURDIR}/firmware.resource
Suite Setup         Build Firmware And Recordings
Suite Teardown      Teardown
Test Setup          Reset Emulation
Test Teardown       Ends Well
Test Timeout        20 minutes


*** Variables ***
${BOARD}            nano33ble
${LED}              sysbus.gpio0.led_
@{LABEL_LEDS}       red    green    blue
# The LED that blinks while samples arrive. If it is blue, another LED must stay dark.
&{BEATS}            nano33ble=orange    nano33ble_rev2=orange    xiao_nrf52840_sense=blue
...                 nrf52840_dk=listening
&{DARK}             nano33ble=blue    nano33ble_rev2=blue    xiao_nrf52840_sense=green
...                 nrf52840_dk=blue
&{D2_PORT}          nano33ble=gpio1    nano33ble_rev2=gpio1    xiao_nrf52840_sense=gpio0
...                 nrf52840_dk=gpio1
&{D2_NUMBER}        nano33ble=11    nano33ble_rev2=11    xiao_nrf52840_sense=28    nrf52840_dk=3


*** Test Cases ***
Prints Its Boot Line
    Load Board With    silence
    Wait For Line On Uart    ${BOOT}    treatAsRegex=true

Prints The Host's Lines For Every Recording
    [Documentation]    Keywords, other words, noise, silence, clipped and repeated words, and a
    ...    minute with twenty words: the tests that the default model must pass.
    [Template]    Prints The Host's Lines
    FOR    ${number}    IN    @{NUMBERS}
        ${number}
    END

LED Is Green After Yes
    LED Shows    yes    green

LED Is Red After No
    LED Shows    no    red

LED Stays Dark After Another Word
    LED Stays Dark    unknown    ${DARK}[${BOARD}]

An LED Blinks While Samples Arrive
    LED Beats    ${BEATS}[${BOARD}]

Commands Are Answered
    Answers Commands

Samples Are Sent
    Sends Samples

Settings Survive A Reset
    Keeps Settings

Keyword Sets Its Pin
    Sets Its Pin    D2    ${D2_PORT}[${BOARD}]    ${D2_NUMBER}[${BOARD}]

Board Without Samples Reports It, Blinks Three Times And Reboots
    Fails Without Samples

Damaged Model Is Reported By A Line And Repeated Double Blinks
    Fails With A Damaged Model    ${60}

UICR Sets The Debug Port
    [Documentation]    On old chips, and on chips that lock the port at each reset.
    [Template]    Debug Port Is
    ${0}    0xFFFFFFFF    open
    ${0}    0             locked
    ${4}    0xFFFFFFFF    open
    ${5}    0x0000005A    open
    ${5}    0xFFFFFFFF    locked
    ${5}    0             locked
    ${7}    0xFFFFFF5A    open

Boots Even If The Crystal Does Not Start
    Load Board With    silence
    Execute Command    sysbus.power CrystalIsBroken true
    Wait For Line On Uart    ${BOOT}    treatAsRegex=true    timeout=1

Flash Is Cached
    Load Board With    silence
    Wait For Line On Uart    ${BOOT}    treatAsRegex=true
    # NVMC.ICACHECNF
    Register Is    0x4001E540    0x00000001

Watchdog Resets A Board That Hangs
    Is Reset By The Watchdog


*** Keywords ***
Debug Port Is
    [Arguments]    ${revision}    ${setting}    ${state}
    Reset Emulation
    Load Board With    silence
    Execute Command    sysbus WriteDoubleWord 0x10000134 ${revision}
    Execute Command    sysbus WriteDoubleWord 0x10001208 ${setting}
    Wait For Line On Uart    ${BOOT}    treatAsRegex=true
    ${port}=    Execute Command    sysbus.power DebugPort
    Should Be Equal    ${port.strip()}    ${state}
