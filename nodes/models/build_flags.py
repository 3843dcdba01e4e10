"""The CMake flags that build llama.cpp for this machine; run as a script, it prints them.

Each instruction set is named rather than left to ``GGML_NATIVE``, which asks the compiler and on
virtual machines gets instructions that then are illegal.
"""

import platform
from pathlib import Path

CPU_INFO = Path("/proc/cpuinfo")

INSTRUCTION_SETS = {
    "GGML_SSE42": {"sse4_2"},
    "GGML_AVX": {"avx"},
    "GGML_AVX2": {"avx2"},
    "GGML_FMA": {"fma"},
    "GGML_F16C": {"f16c"},
    "GGML_BMI2": {"bmi2"},
    "GGML_AVX512": {"avx512f", "avx512cd", "avx512vl", "avx512dq", "avx512bw"},
    "GGML_AVX512_VNNI": {"avx512f", "avx512bw", "avx512_vnni"},
    "GGML_AVX512_VBMI": {"avx512f", "avx512bw", "avx512vbmi"},
}
"""CMake option and the CPU flags, as /proc/cpuinfo names them, that it needs."""


def build_flags(cpu_info: str, machine: str) -> str:
    """Return the value for CMAKE_ARGS, given /proc/cpuinfo's text and the machine's name."""
    flags = ["-DGGML_NATIVE=OFF"]
    if machine in ("x86_64", "AMD64"):
        has = cpu_flags(cpu_info)
        for option, needed in INSTRUCTION_SETS.items():
            flags.append(f"-D{option}={'ON' if needed <= has else 'OFF'}")
    return " ".join(flags)


def cpu_flags(cpu_info: str) -> set[str]:
    """Return the CPU flags in /proc/cpuinfo's text; none where it lists none."""
    for line in cpu_info.splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "flags":
            return set(value.split())
    return set()


if __name__ == "__main__":
    text = CPU_INFO.read_text(encoding="utf-8") if CPU_INFO.exists() else ""
    print(build_flags(text, platform.machine()))
