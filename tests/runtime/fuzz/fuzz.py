"""Builds and runs the libFuzzer target: `python -m tests.runtime.fuzz.fuzz --seconds 1800`.

Everything is in build/fuzz: the target, `seeds`, the `corpus`, which grows with each run, and
`findings`, where libFuzzer writes failing inputs. `build/fuzz/fuzz_model FINDING` repeats one.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.paths import ROOT
from tests.runtime.fuzz.fuzz_seeds import write_seeds

FOLDER = ROOT / "build" / "fuzz"
TIMEOUT_S = 10
"""Maximum time per input. The sanitizers make the core about ten times slower."""

_PROGRESS = re.compile(r"^#(\d+):? .*cov: (\d+)", re.MULTILINE)


class FuzzerError(Exception):
    """The target cannot be built; the message gives the reason."""


@dataclass(frozen=True)
class Outcome:
    """The result of a run."""

    inputs: int
    """Inputs tried."""

    coverage: int
    """Covered branches of the core."""

    findings: tuple[Path, ...]
    """Inputs with a crash, a hang or an invalid access."""

    output: str


def has_clang() -> bool:
    """Whether clang with libFuzzer and the sanitizers is installed."""
    if not shutil.which("clang++"):
        return False
    command = [
        "clang++",
        "-fsanitize=fuzzer,address,undefined",
        "-x",
        "c++",
        "-",
        "-o",
        "/dev/null",
    ]
    code = (
        "#include <cstddef>\n#include <cstdint>\n"
        'extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) { return 0; }\n'
    )
    return (
        subprocess.run(command, check=False, input=code.encode(), capture_output=True).returncode
        == 0
    )


def build() -> Path:
    """Build the target and return its path.

    Raises:
        FuzzerError: CMake or the compiler fail.
    """
    configure = ["cmake", "-S", str(ROOT), "-B", str(FOLDER)]
    configure += ["-DKWS_BUILD_FUZZER=ON", "-DCMAKE_CXX_COMPILER=clang++"]
    for command in (configure, ["cmake", "--build", str(FOLDER), "-j", "2"]):
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            raise FuzzerError((done.stdout + done.stderr)[-4000:])
    return FOLDER / "fuzz_model"


def fuzz(seconds: int, corpus: Path) -> Outcome:
    """Mutate the seeds on two cores for this long; stop at the first finding.

    Raises:
        FuzzerError: the target cannot be built.
    """
    target = build()
    findings = FOLDER / "findings"
    seeds = FOLDER / "seeds"
    shutil.rmtree(findings, ignore_errors=True)
    for folder in (findings, seeds, corpus):
        folder.mkdir(parents=True, exist_ok=True)
    write_seeds(seeds)
    command = [str(target), "-fork=2", f"-max_total_time={seconds}", f"-timeout={TIMEOUT_S}"]
    command += ["-ignore_timeouts=0", "-ignore_ooms=0", "-ignore_crashes=0", "-rss_limit_mb=1024"]
    command += [f"-artifact_prefix={findings}/", str(corpus), str(seeds)]
    # Linux keeps a process's peak memory across exec, and libFuzzer compares the peak with a limit.
    # pytest with TensorFlow is large, so a small shell starts the target; `exit` makes the shell
    # start a separate process.
    done = subprocess.run(
        ["sh", "-c", '"$@"; exit $?', "sh", *command],
        check=False,
        capture_output=True,
        text=True,
        errors="replace",
        cwd=FOLDER,
    )
    output = done.stdout + done.stderr
    progress = _PROGRESS.findall(output)
    finding_files = tuple(sorted(findings.iterdir()))
    if not progress or (done.returncode != 0 and not finding_files):
        raise FuzzerError(f"the fuzzer ended with {done.returncode}: {output[-4000:]}")
    return Outcome(
        inputs=max(int(inputs) for inputs, _ in progress),
        coverage=max(int(coverage) for _, coverage in progress),
        findings=finding_files,
        output=output,
    )


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=1800)
    seconds = parser.parse_args().seconds
    if not has_clang():
        print("kws: clang with its runtime is missing; install clang and libclang-rt-dev")
        return 1
    print(f"kws: fuzzing for {seconds} s on two cores", flush=True)
    try:
        outcome = fuzz(seconds, FOLDER / "corpus")
    except FuzzerError as error:
        print(f"kws: {error}")
        return 1
    print(f"{outcome.inputs} inputs, {outcome.coverage} branches, {len(outcome.findings)} findings")
    if outcome.findings:
        print(outcome.output[-8000:])
    for finding in outcome.findings:
        print(finding)
    return 1 if outcome.findings else 0


if __name__ == "__main__":
    sys.exit(main())
