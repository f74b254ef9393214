*** Comments ***
SPDX-License-Identifier: Apache-2.0
The SparkFun Edge's firmware as flashed: detections, LEDs, commands and failures.
Run by `renode-test renode/sparkfun_edge.robot`, with kws on PATH or with --variable KWS:.venv/bin/kws.
All timeouts are seconds of the board's time.


*** Settings ***
Resource            ${CURDIR}/firmware.resource
Suite Setup         Build Firmware And Recordings
Suite Teardown      Teardown
Test Setup          Reset Emulation
Test Teardown       Ends Well
Test Timeout        20 minutes


*** Variables ***
${BOARD}            sparkfun_edge
${LED}              sysbus.gpio.led_
@{LABEL_LEDS}       red    green    yellow


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

LED Is Yellow After Yes
    LED Shows    yes    yellow

LED Is Red After No
    LED Shows    no    red

LED Stays Dark After Another Word
    LED Stays Dark    unknown    green

Blue LED Blinks While Samples Arrive
    LED Beats    blue

Commands Are Answered
    Answers Commands

Samples Are Sent
    Sends Samples

Settings Survive A Reset
    Keeps Settings

Keyword Sets Its Pin
    Sets Its Pin    SCL    gpio    39

Board Without Samples Reports It, Blinks Three Times And Reboots
    Fails Without Samples

Recovers From A Failure Of The Converter's DMA
    Load Board With    yes
    Wait For Line On Uart    ${BOOT}    treatAsRegex=true
    # The board answers only after the microphone has started.
    Type    stats
    Wait For Line On Uart    ${STATS}    treatAsRegex=true
    Execute Command    sysbus.microphone FailDma
    Wait For Line On Uart    error: lost 320 samples
    Wait For Line On Uart    Heard yes    timeout=10

Receive Pad Is Pulled Up
    Load Board With    silence
    Wait For Line On Uart    ${BOOT}    treatAsRegex=true
    ${pulled}=    Execute Command    sysbus.gpio IsPulledUp 49
    Should Be Equal    ${pulled.strip()}    True

Damaged Model Is Reported By A Line And Repeated Double Blinks
    Fails With A Damaged Model    ${4}

Watchdog Resets A Board That Hangs
    Is Reset By The Watchdog


