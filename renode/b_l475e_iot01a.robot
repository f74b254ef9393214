*** Comments ***
SPDX-License-Identifier: Apache-2.0
The B-L475E-IOT01A's firmware as flashed: detections, LEDs, commands and failures.
Run by `renode-test renode/b_l475e_iot01a.robot`, with kws on PATH or with --variable KWS:.venv/bin/kws.
All timeouts are seconds of the board's time.


*** Settings ***
Resource            ${CURDIR}/firmware.resource
Suite Setup         Build Firmware And Recordings
Suite Teardown      Teardown
Test Setup          Reset Emulation
Test Teardown       Ends Well
Test Timeout        20 minutes


*** Variables ***
${BOARD}            b_l475e_iot01a
${LED}              sysbus.
${FAULT_LED}        gpio_c.led_yellow
@{LABEL_LEDS}       gpio_b.led_green    gpio_c.led_yellow    gpio_c.led_blue


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
    LED Shows    yes    gpio_b.led_green

LED Is Yellow After No
    LED Shows    no    gpio_c.led_yellow

LED Stays Dark After Another Word
    LED Stays Dark    unknown    gpio_c.led_blue

LED 1 Blinks While Samples Arrive
    LED Beats    gpio_a.led_listening

Commands Are Answered
    Answers Commands

Samples Are Sent
    Sends Samples

Settings Survive A Reset
    Keeps Settings

Settings Survive A Power Failure During A Save
    [Documentation]    Two words with a wrong checksum after the newest record: reading them raises a
    ...    non-maskable interrupt, not a fault.
    Load Board With    silence
    Wait For Line On Uart    ${BOOT}    treatAsRegex=true
    Answers    gain 6    gain 6 dB
    Execute Command    sysbus.settings_flash Tear 152
    Start Again
    Wait For Line On Uart    settings: gain 6 dB,
    FOR    ${gain}    IN RANGE    20
        Answers    gain ${gain}    gain ${gain} dB
    END
    Start Again
    Wait For Line On Uart    settings: gain 19 dB,

Keyword Sets Its Pin
    Sets Its Pin    D2    gpio_d    14

Board Without Samples Reports It, Blinks Three Times And Reboots
    Fails Without Samples

Recovers From A DMA Failure
    Recovers From    sysbus.dma1 Fail 4    320

Counts A Sample That The DMA Missed
    Recovers From    sysbus.microphone LoseOne    1

Damaged Model Is Reported By A Line And Repeated Double Blinks
    Fails With A Damaged Model    ${4}

Watchdog Resets A Board That Hangs
    Is Reset By The Watchdog


*** Keywords ***
Recovers From
    [Arguments]    ${command}    ${lost}
    Load Board With    yes
    Wait For Line On Uart    ${BOOT}    treatAsRegex=true
    # The board answers only after the microphone has started.
    Type    stats
    Wait For Line On Uart    ${STATS}    treatAsRegex=true
    Execute Command    ${command}
    Wait For Line On Uart    error: lost ${lost} sample
    Wait For Line On Uart    Heard yes    timeout=10
