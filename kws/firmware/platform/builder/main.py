# SPDX-License-Identifier: Apache-2.0
"""SCons script: how PlatformIO builds the firmware of one board."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from SCons.Script import AlwaysBuild, Default, DefaultEnvironment

env = DefaultEnvironment()
board = env.BoardConfig()
root = Path(env.subst("$PROJECT_DIR"))

# On request, each command is logged as a JSON array per line: `kws build` repeats some of them for
# the next bundle (kws/host/build/compiled_core.py).
if record := os.environ.get("KWS_COMMANDS"):
    spawn = env["SPAWN"]

    def recorded_spawn(sh, escape, command, args, environment):
        argv = shlex.split(" ".join(args))
        argv[0] = shutil.which(argv[0], path=environment["PATH"]) or argv[0]
        with Path(record).open("a", encoding="utf-8") as file:
            file.write(json.dumps(argv) + "\n")
        return spawn(sh, escape, command, args, environment)

    env.Replace(SPAWN=recorded_spawn)

machine = board.get("build.machine_flags")
env.Replace(
    AR="arm-none-eabi-gcc-ar",
    AS="arm-none-eabi-gcc",
    CC="arm-none-eabi-gcc",
    CXX="arm-none-eabi-g++",
    LINK="arm-none-eabi-g++",
    OBJCOPY="arm-none-eabi-objcopy",
    RANLIB="arm-none-eabi-gcc-ranlib",
    PROGNAME="firmware",
    PROGSUFFIX=".elf",
)
env.Append(
    CPPPATH=["$PROJECT_SRC_DIR"],
    CPPDEFINES=[
        ("KWS_VERSION", env.StringifyMacro(os.environ.get("KWS_VERSION", "dev"))),
        ("KWS_BOARD", env.StringifyMacro(env["BOARD"])),
    ],
    CCFLAGS=[
        *machine,
        *board.get("build.optimize_flags"),
        "-g",
        "-Wall",
        "-Wextra",
        "-Wshadow",
        "-ffunction-sections",
        "-fdata-sections",
        "-fno-common",
        # The loop in memcpy() must not become a call of memcpy(), nor the one in WriteText() a call
        # of strlen().
        "-fno-tree-loop-distribute-patterns",
        # The same sources produce the same file in any folder.
        f"-ffile-prefix-map={root}=kws",
    ],
    CXXFLAGS=[
        "-std=c++17",
        "-fno-exceptions",
        "-fno-rtti",
        "-fno-threadsafe-statics",
        "-fno-use-cxa-atexit",
    ],
    LINKFLAGS=[
        *machine,
        *board.get("build.optimize_flags"),
        "-nostartfiles",
        # Without system calls, code that needs a heap or stdio does not link.
        "-nodefaultlibs",
        "-Wl,--gc-sections",
        "-Wl,--fatal-warnings",
        # No ELF headers in front of the code, where a bootloader may be: newer linkers put them on
        # the first page of 64 KiB, which begins below the program.
        "-Wl,--nmagic",
        # Not -Wl, which splits at commas; substituted here, because SCons would split at spaces.
        *("-Xlinker", "-Map", "-Xlinker", env.subst("$BUILD_DIR/firmware.map")),
        *board.get("build.link_flags", []),
        "-T",
        str(root / board.get("build.linker_script")),
    ],
    LIBS=["c_nano", "gcc"],
)


def crc32_msb_first(data):
    """CRC-32 with the usual polynomial, most significant bit first, not inverted at the end."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (0x04C11DB7 if crc >> 31 else 0)) & 0xFFFFFFFF
    return crc


def boot2_code(source):
    """Code and table of an RP2040's second boot stage, which are the same in all firmware."""
    place = Path(env.subst("$BUILD_DIR"))
    place.mkdir(parents=True, exist_ok=True)
    compiled, part = str(place / "boot2.elf"), place / "boot2.bin"
    include = env.subst("-I$PROJECT_SRC_DIR")
    compiler = ["arm-none-eabi-g++", *machine, "-Os", "-std=c++17", include]
    subprocess.run([*compiler, "-c", "-o", compiled, source], check=True, env=env["ENV"])
    code = b""
    for section in (".boot2.code", ".boot2.table"):
        copy = ["arm-none-eabi-objcopy", "-O", "binary", "-j", section, compiled, str(part)]
        subprocess.run(copy, check=True, env=env["ENV"])
        code += part.read_bytes()
    return code


# The boot ROM checks a CRC of the first 252 bytes of flash, which the linker script fills with 0.
if boot2 := board.get("build.boot2", ""):
    crc = crc32_msb_first(boot2_code(str(root / boot2)).ljust(252, b"\0"))
    env.Append(LINKFLAGS=[f"-Wl,--defsym=kws_boot2_crc={crc:#x}"])


def for_speed(env, node):
    """Compile the time-critical loops for speed; everything else is compiled for size."""
    return env.Object(node, CCFLAGS=[*env["CCFLAGS"], *board.get("build.speed_flags")])


for pattern in ("*/src/kws/frontend/*", "*_loops.cc"):
    env.AddBuildMiddleware(for_speed, pattern)


# Header with the differences between the boards of a port.
if table := board.get("build.table", ""):
    env.Append(CPPDEFINES=[("KWS_BOARD_TABLE", env.StringifyMacro(table))])

    # SCons does not follow an include through a macro.
    def with_table(env, node):
        compiled = env.Object(node)
        env.Depends(compiled, str(root / "src" / table))
        return compiled

    env.AddBuildMiddleware(with_table, f"*/src/{Path(table).parents[1].as_posix()}/*")

settings = dict(board.get("build.defines", {}))

# Options of a board: KWS_OPTIONS or custom_options, names separated by commas.
options = board.get("build.options", {})
chosen = os.environ.get("KWS_OPTIONS") or env.GetProjectOption("custom_options", "")
for option in chosen.replace(",", " ").split():
    if option not in options:
        known = ", ".join(options) or "none"
        sys.stderr.write(f"error: this board has no option {option!r}; use {known}\n")
        env.Exit(1)
    settings |= options[option].get("defines", {})
    env.Append(LINKFLAGS=options[option].get("link_flags", []))
env.Append(CPPDEFINES=list(settings.items()))

# Files that depend on the built-in bundle. All others are identical in every firmware of a board.
KNOW_THE_BUNDLE = (
    "*/src/app/main.cc",
    "*/src/boards/audio_ring.cc",
    "*/src/tools/compiled.cc",
)

model = []
if env.GetProjectOption("custom_bundle", "yes") == "yes":
    default_bundle = root.parent / "assets" / "yes_no"
    generated = Path(os.environ.get("KWS_BUNDLE", default_bundle)).resolve() / "firmware"
    if not (generated / "model_settings.h").is_file():
        sys.stderr.write(f"error: {generated} contains no model_settings.h; set KWS_BUNDLE\n")
        env.Exit(1)
    if (generated / "compiled_model.cc").is_file():
        env.Append(CPPDEFINES=["KWS_COMPILED"])
    env.Append(CPPDEFINES=["KWS_EVERY_BUNDLE"])

    def for_bundle(env, node):
        defines = [define for define in env["CPPDEFINES"] if define != "KWS_EVERY_BUNDLE"]
        return env.Object(node, CPPDEFINES=defines, CPPPATH=[*env["CPPPATH"], str(generated)])

    for pattern in KNOW_THE_BUNDLE:
        env.AddBuildMiddleware(for_bundle, pattern)
    model = env.CollectBuildFiles("$BUILD_DIR/model", str(generated))

env.Append(PIOBUILDFILES=model)
program = env.BuildProgram()
images = [
    env.Command(
        f"$BUILD_DIR/firmware.{ending}",
        program,
        env.VerboseAction(f"$OBJCOPY -O {form} $SOURCE $TARGET", "Writing $TARGET"),
    )
    for ending, form in (("bin", "binary"), ("hex", "ihex"))
]
AlwaysBuild(env.Alias("nobuild", program))
Default([program, *images])
