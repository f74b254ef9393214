*** Comments ***
The firmware of the Nano 33 BLE as it is flashed: what it hears, shows, answers, and how it fails.
Run by `renode-test renode/nano33ble.robot`, with kws on PATH or with --variable KWS:.venv/bin/kws.
All timeouts are seconds of the board's time.


*** Settings ***
Library             Collections
Library             OperatingSystem
Library             Process
Suite Setup         Build Firmware And Recordings
Suite Teardown      Teardown
Test Setup          Reset Emulation
Test Teardown       Test Teardown
Test Timeout        20 minutes


*** Variables ***
${KWS}              kws
${FIRMWARE}         ${RESULTS_DIRECTORY}/firmware
${RECORDINGS}       ${RESULTS_DIRECTORY}/recordings
${BOOT}             ^kws \\S+ on nano33ble, model .+ bytes$
${DEAF}             error: no samples from the microphone; check its wiring; the board resets
${HUNG}             error: the watchdog reset the board; the firmware hung, report it if it does so again


*** Test Cases ***
Boots And Says What It Is
    Start Board With    silence
    Wait For Line On Uart    ${BOOT}    treatAsRegex=true

Hears Every Recording As The Host Does
    [Documentation]    Keywords, other words, noise, silence, clipped and repeated words, and a
    ...    minute with twenty words: all that the default model has to pass.
    [Template]    Hears As The Host Does
    FOR    ${number}    IN    @{NUMBERS}
        ${number}
    END

LED Is Green After Yes
    LED Shows    yes    green

LED Is Red After No
    LED Shows    no    red

LED Is Blue After Another Word
    LED Shows    unknown    blue

Orange LED Blinks While Samples Come
    Start Board With    silence
    ${orange}=    Create Led Tester    sysbus.gpio0.led_orange
    Assert Led State    true    timeout=1    testerId=${orange}    pauseEmulation=true
    Assert Led Is Blinking    5    0.06    0.94    tolerance=0.2    testerId=${orange}    pauseEmulation=true

Commands Are Answered
    Start Board With    silence
    Wait For Line On Uart    ${BOOT}    treatAsRegex=true
    Answers    gain -3    gain -3 dB
    Answers    gain 21    error: gain takes a whole number from -20 to 20 dB
    Answers    threshold 180    threshold 180
    Answers    threshold    threshold 180
    Answers    hello    error: unknown command; there are gain N, threshold N and stats
    Type    stats
    Wait For Line On Uart
    ...    ^stats: \\d+ hops, 0 samples lost, \\d+\\.\\d % idle, arena \\d+ bytes, stack \\d+ of \\d+ bytes$
    ...    treatAsRegex=true

Deaf Board Says So, Blinks Three Times And Boots Again
    Start Board
    ${red}=    Create Led Tester    sysbus.gpio0.led_red
    ${first}=    Wait For Next Line On Uart
    Should Match Regexp    ${first.line}    ${BOOT}
    Next Line Is    ${DEAF}    timeout=2
    Red Blinks    3    ${red}
    Red Blinks    3    ${red}
    Next Line Is    ${first.line}    timeout=10
    Next Line Is    ${DEAF}    timeout=2

Damaged Model Is Told And Blinks Twice For Ever
    Load Board With    silence
    Poke    g_model    0xFFFFFFFF
    ${red}=    Create Led Tester    sysbus.gpio0.led_red
    Start Emulation
    Wait For Line On Uart    error: model is damaged; convert it again
    Red Blinks    2    ${red}
    Red Blinks    2    ${red}
    Should Not Be On Uart    kws    timeout=70    # longer than both watchdogs
    Assert Led State    true    timeout=2    testerId=${red}    pauseEmulation=true

Watchdog Resets A Board That Hangs
    Start Board With    silence
    ${first}=    Wait For Next Line On Uart
    Poke    kws::Pipeline::ProcessHop    0xE7FEE7FE    # b . (Arm DDI 0403E, A7.7.12)
    Next Line Is    ${HUNG}    timeout=5
    Next Line Is    ${first.line}
    Next Line Is    ${DEAF}    timeout=2    # Renode's microphone is empty after a reset


*** Keywords ***
Build Firmware And Recordings
    Setup
    Run Kws    build    --board    nano33ble    --out    ${FIRMWARE}
    Run Kws    test    --board    nano33ble    --export    ${RECORDINGS}
    @{numbers}=    Create List
    @{heard}=    Create List
    @{files}=    List Files In Directory    ${RECORDINGS}    *.txt
    FOR    ${file}    IN    @{files}
        ${text}=    Get File    ${RECORDINGS}/${file}
        Append To List    ${numbers}    ${file}[:-4]
        Append To List    ${heard}    ${text}
    END
    Should Not Be Empty    ${numbers}
    Set Suite Variable    @{NUMBERS}    @{numbers}
    Set Suite Variable    @{HEARD}    @{heard}

Run Kws
    [Arguments]    @{arguments}
    ${done}=    Run Process    ${KWS}    @{arguments}    stderr=STDOUT
    Should Be Equal As Integers    ${done.rc}    0    ${done.stdout}

Recording Of
    [Documentation]    The number of the first recording in which just `label` is heard;
    ...    `silence`: nothing is.
    [Arguments]    ${label}
    FOR    ${number}    ${text}    IN ZIP    ${NUMBERS}    ${HEARD}
        @{labels}=    Evaluate    [line.split()[1] for line in $text.splitlines()]
        IF    $labels == ([] if $label == 'silence' else [$label])    RETURN    ${number}
    END
    Fail    No recording of ${label}

Load Board
    Execute Command    $elf=@${FIRMWARE}/firmware.elf
    Execute Script    ${CURDIR}/nano33ble.resc
    Create Terminal Tester    sysbus.uart0    timeout=3    defaultPauseEmulation=true

Load Board With
    [Documentation]    A label or the number of a recording for the microphone.
    [Arguments]    ${label}
    Load Board
    ${number}=    Set Variable    ${label}
    IF    $label not in $NUMBERS
        ${number}=    Recording Of    ${label}
    END
    Execute Command    sysbus.microphone SetInputFile @${RECORDINGS}/${number}.raw

Start Board
    Load Board
    Start Emulation

Start Board With
    [Arguments]    ${label}
    Load Board With    ${label}
    Start Emulation

Hears As The Host Does
    [Arguments]    ${number}
    Reset Emulation
    Start Board With    ${number}
    ${last}=    Wait For Next Line On Uart
    Should Match Regexp    ${last.line}    ${BOOT}
    ${text}=    Get File    ${RECORDINGS}/${number}.txt
    @{lines}=    Split To Lines    ${text}
    FOR    ${line}    IN    @{lines}
        ${last}=    Wait For Next Line On Uart    timeout=70
        Should Be Equal    ${last.line}    ${line}
    END
    ${bytes}=    Get File Size    ${RECORDINGS}/${number}.raw
    # The recording's last second is the room after it.
    ${rest}=    Evaluate    max(0.01, ${bytes} / 32000 - 1 - ${last.timestamp} / 1000)
    Should Not Be On Uart    Heard    timeout=${rest}

LED Shows
    [Arguments]    ${label}    ${colour}
    Load Board With    ${label}
    # In a perfectly quiet room the default model is not sure enough of silence; in noise it is.
    ${noise}=    Recording Of    silence
    Execute Command    sysbus.microphone SetInputFile @${RECORDINGS}/${noise}.raw
    &{leds}=    Create Dictionary
    FOR    ${name}    IN    red    green    blue
        ${tester}=    Create Led Tester    sysbus.gpio0.led_${name}
        Set To Dictionary    ${leds}    ${name}=${tester}
    END
    Start Emulation
    Wait For Line On Uart    ${BOOT}    treatAsRegex=true
    FOR    ${name}    IN    red    green    blue
        Assert Led State    false    timeout=0    testerId=${leds}[${name}]
    END
    Wait For Line On Uart    Heard ${label}    timeout=10
    FOR    ${name}    IN    red    green    blue
        ${on}=    Evaluate    $name == $colour
        Assert Led State    ${on}    timeout=0    testerId=${leds}[${name}]
    END
    Assert Led State    false    timeout=8    testerId=${leds}[${colour}]

Red Blinks
    [Documentation]    So many times, 0.2 s each, then a second's pause.
    [Arguments]    ${times}    ${tester}
    FOR    ${_}    IN RANGE    ${times}
        Assert Led State    true    timeout=0.25    testerId=${tester}    pauseEmulation=true
        Assert Led State    false    timeout=0.25    testerId=${tester}    pauseEmulation=true
    END
    Assert And Hold Led State
    ...    false
    ...    timeoutAssert=0
    ...    timeoutHold=1.1
    ...    testerId=${tester}
    ...    pauseEmulation=true

Type
    [Arguments]    ${line}
    Write Line To Uart    ${line}    waitForEcho=false

Answers
    [Arguments]    ${typed}    ${answer}
    Type    ${typed}
    Next Line Is    ${answer}

Next Line Is
    [Arguments]    ${expected}    ${timeout}=3
    ${next}=    Wait For Next Line On Uart    timeout=${timeout}
    Should Be Equal    ${next.line}    ${expected}

Poke
    [Documentation]    Writes a word at a symbol; flash is memory in Renode.
    [Arguments]    ${symbol}    ${word}
    ${address}=    Execute Command    sysbus GetSymbolAddress "${symbol}"
    Execute Command    sysbus WriteDoubleWord ${address.strip()} ${word}
