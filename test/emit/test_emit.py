#!/usr/bin/env python3
"""Code generation from a plan to files that run: every variant's library is linked, inspected with nm and readelf, and its steps are
executed (AArch64 under qemu) by driver.c; two libraries live in one program. Arguments: headrace-emit, a work folder, the folder of runtime/abi, LLVM's tool folder."""
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
EMIT, WORK, ABI, TOOLS = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], pathlib.Path(sys.argv[4])

# device, kind, qemu's -cpu (None: runs here)
DEVICES = [
    ("x86-64-v3", "cpu", None),
    ("x86-64-v3+avxvnni", "cpu", None),
    ("x86-64-v3+avxvnni-evex", "cpu", None),
    ("x86-64-v4+vnni", "cpu", None),
    ("reference-x86-64", "reference", None),
    ("armv8-a", "cpu", "cortex-a53"),
    ("armv8.2-a+dotprod", "cpu", "cortex-a76"),
    ("armv8.6-a+i8mm", "cpu", "max"),
    ("reference-aarch64", "reference", "cortex-a53"),
]
NEEDS = {"x86-64-v4+vnni": "avx512_vnni", "x86-64-v3+avxvnni-evex": "avx512_vnni", "x86-64-v3+avxvnni": "avx_vnni"}


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def emit(device, kind, name, *options, library="tiny"):
    text = (HERE / "plan.mlir.in").read_text().replace("@DEVICE@", device).replace("@KIND@", kind).replace("@tiny", "@" + library)
    out = WORK / name
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    (out / "plan.mlir").write_text(text)
    run(EMIT, out / "plan.mlir", "-o", out, "--asm", out / "plan.s", *options)
    return out


def symbols(path, *options):
    """(letter, name) of nm's lines."""
    lines = run(TOOLS / "llvm-nm", *options, path).splitlines()
    return [tuple(line.split()[-2:]) for line in lines if line and not line.endswith(":")]


def check_symbols(out):
    inside = symbols(out / "libtiny.a")
    defined = {name for letter, name in inside if letter not in "Uu"}
    missing = {name for letter, name in inside if letter in "Uu"} - defined
    assert not missing, f"{out}/libtiny.a: undefined {missing}"
    public = {name for letter, name in inside if letter.isupper() and letter != "U"}
    strange = {name for name in public if not name.startswith("hr_") and name != "tiny_library"}
    assert not strange, f"{out}/libtiny.a: public {strange}"
    for path in (out / "libtiny.so", out / "headrace-run"):
        assert not symbols(path, "--undefined-only"), f"{path}: undefined symbols"
    assert not symbols(out / "libtiny.so", "--dynamic", "--undefined-only")
    exported = {name for _, name in symbols(out / "libtiny.so", "--dynamic")}
    assert {"hr_library_get", "hr_api_get", "hr_open", "tiny_library"} <= exported, exported
    assert "hr_barrier_wait" not in exported
    assert all(name.startswith("hr_") or name == "tiny_library" for name in exported), exported


def check_calls(out):
    """Steps call kernels, so that a profile names them: nothing is inlined."""
    bodies = re.findall(r"^(\w+):.*?^\.Lfunc_end", (out / "plan.s").read_text(), re.S | re.M)
    assert {"norm_c64", "add_c64", "body_8_seg0", "head_8_seg0"} <= set(bodies), bodies
    for step, kernels in (("body_8_seg0", ("norm_c64", "add_c64")), ("head_8_seg0", ("norm_c64",))):
        text = re.search(rf"^{step}:.*?^\.Lfunc_end", (out / "plan.s").read_text(), re.S | re.M).group()
        for kernel in kernels:
            assert re.search(rf"\t(callq?|jmp|bl|b)\t{kernel}\b", text), f"{out}: {step} does not call {kernel}"


def check_layout(out):
    headers = run(TOOLS / "llvm-readelf", "-lWS", out / "libtiny.so")
    loads = [line.split() for line in headers.splitlines() if line.strip().startswith("LOAD")]
    assert loads and all(load[-1] == "0x4000" for load in loads), headers
    assert "build-id" not in headers
    for path in out.iterdir():
        if path.suffix not in (".mlir", ".s"):
            assert str(HERE.parents[1]).encode() not in path.read_bytes(), f"{path}: holds a path of this machine"


def check_registers(out):
    """x18 belongs to the platform on Android."""
    for path in (out / "libtiny.so", out / "headrace-run"):
        code = run(TOOLS / "llvm-objdump", "-d", "--no-show-raw-insn", path)
        assert not re.search(r"\b[xw]18\b", code), f"{path}: uses x18"


def execute(out, cpu):
    compiler = "aarch64-linux-gnu-gcc" if cpu else "cc"
    if not shutil.which(compiler):
        return False
    program = out / "driver"
    run(compiler, "-O1", "-ffp-contract=off", "-static", "-I", ABI, HERE / "driver.c", out / "libtiny.a", "-lm", "-o", program)
    emulator = ["qemu-aarch64", "-cpu", cpu] if cpu else []
    if cpu and not shutil.which("qemu-aarch64"):
        return False
    run(*emulator, program)
    done = subprocess.run([*emulator, out / "headrace-run"], capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.startswith("headrace: error: "), done
    return True


def check_same(one, other):
    for path in one.iterdir():
        if path.suffix not in (".mlir", "") or path.name == "headrace-run":
            assert path.read_bytes() == (other / path.name).read_bytes(), f"{path} and {other / path.name} differ"


def check_two_models():
    """Two libraries with kernels of the same names, and one runtime, in one program."""
    one, other = emit("x86-64-v3", "cpu", "one"), emit("x86-64-v3", "cpu", "other", library="other")
    source = WORK / "two.c"
    source.write_text("""#include "headrace.h"
extern const hr_library tiny_library, other_library;
int main(void) {
  return !hr_arena_bytes(&tiny_library) || !hr_arena_bytes(&other_library) ||
         tiny_library.entries[0].segments[0].run == other_library.entries[0].segments[0].run;
}
""")
    program = WORK / "two"
    public = pathlib.Path(ABI).parent / "core" / "include"
    run("cc", "-I", ABI, "-I", public, source, one / "libtiny.a", other / "libother.a", "-o", program)
    run(program)


def check_refused(wrong, message):
    """A module attribute that hr_library has no number for."""
    (WORK / "refused.mlir").write_text((WORK / "x86-64-v3/plan.mlir").read_text().replace(*wrong))
    done = subprocess.run([EMIT, WORK / "refused.mlir", "-o", WORK], capture_output=True, text=True)
    assert done.returncode and message in done.stderr, done


def main():
    features = pathlib.Path("/proc/cpuinfo").read_text()
    for device, kind, cpu in DEVICES:
        out = emit(device, kind, device, "--jobs=2")
        check_symbols(out)
        check_calls(out)
        check_layout(out)
        if cpu:
            check_registers(out)
        check_same(out, emit(device, kind, device + "-again", "--jobs=1"))
        check_symbols(emit(device, kind, device + "-O0", "--opt-level=0"))
        ran = NEEDS.get(device, "") in features and execute(out, cpu)
        print(f"{device}: {'executed' if ran else 'linked, not executed here'}")
    check_two_models()
    check_refused(('"encoder"', '"both"'), "attribute model.kind of the module: expected decoder, encoder, found both")
    check_refused(('"mean"', '"max"'), "attribute model.pooling of the module: expected none, mean, cls, found max")


main()
