"""Bundles inside other people's programs: the embed example, an installed Headrace found by CMake, a bundle found by CMake.

usage: test_integration.py embed|install|package|taps...
"""
import json
import shutil
import tempfile
from pathlib import Path

import models
from harness import BUILD, RUNNER, WORK, bundle, command, fail, main

EMBED = models.PROJECT / "examples/embed"


def embed():
    """cc and aarch64-linux-gnu-gcc, weights mapped and linked: all say the same; the program's sources stay small."""
    lines = len((EMBED / "embed.c").read_text().splitlines())
    if lines > 60:
        fail(f"embed.c has {lines} lines")
    done = command([EMBED / "run.sh", RUNNER, WORK / "embed"])
    print(done.stdout)
    if done.stdout.count("ok: ") != 4:
        fail("expected four programs (is the AArch64 compiler or qemu missing?)")
    said = command([RUNNER, "run", WORK / "embed/host.bundle", "-p", "In the beginning", "-n", 40, "--temperature", 0]).stdout
    if done.stdout.splitlines()[-5].strip() not in said:
        fail(f"headrace run says {said!r}")


def build_with_cmake(scratch, text, prefix):
    project = Path(scratch) / "project"
    project.mkdir()
    for file in ("embed.c", "weights_mapped.c"):
        shutil.copy(EMBED / file, project)
    (project / "CMakeLists.txt").write_text(text)
    command(["cmake", "-G", "Ninja", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={prefix}"])
    command(["ninja", "-C", project / "build"])
    said = command([project / "build/speak"]).stdout
    if len(said.strip()) < 20:
        fail(f"the program says {said!r}")


def install():
    """cmake --install, then find_package(Headrace) and headrace_add_bundle in a project of its own: a folder beside it, two devices."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        prefix = Path(scratch) / "prefix"
        command(["cmake", "--install", BUILD, "--prefix", prefix])
        shutil.copytree(models.BROOK, Path(scratch) / "brook")
        build_with_cmake(scratch, """cmake_minimum_required(VERSION 3.25)
project(speak C)
find_package(Headrace REQUIRED)
headrace_add_bundle(brook MODEL ../brook TARGET host,reference QUANT w4 OPTIONS --place layers.0.mlp=reference)
add_executable(speak embed.c weights_mapped.c)
target_compile_definitions(speak PRIVATE WEIGHTS_FILE="${brook_WEIGHTS}" _GNU_SOURCE)
target_link_libraries(speak PRIVATE brook::brook brook::port_posix)
""", prefix)


def package():
    """find_package of a bundle itself."""
    out = bundle(models.BROOK, "--target", "host", "--quant", "w4")
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        build_with_cmake(scratch, """cmake_minimum_required(VERSION 3.25)
project(speak C)
find_package(brook REQUIRED)
find_package(Threads REQUIRED)
add_executable(speak embed.c weights_mapped.c)
target_compile_definitions(speak PRIVATE WEIGHTS_FILE="${brook_WEIGHTS}" _GNU_SOURCE)
target_link_libraries(speak PRIVATE brook::brook brook::port_posix Threads::Threads)
""", out)


def taps():
    """A program that reads the taps of a bundle, before and after a head has run; the description of the caches."""
    out = bundle(models.BROOK, "--target", "host", "--quant", "w4", "--taps", "*")
    source = Path(__file__).with_name("taps.c")
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        program = Path(scratch) / "taps"
        libraries = [*out.glob("lib/*/libbrook.a"), *out.glob("lib/*/libhr_port_posix.a")]
        command(["cc", "-O1", "-I", out / "include", source, *libraries, "-lpthread", "-o", program])
        said = command([program, out / "weights.bin"]).stdout
    print(said)
    layers = json.loads((models.BROOK / "config.json").read_text())["num_hidden_layers"]
    if f", {layers} caches, " not in said or said.endswith(": 0 bytes\n"):
        fail(f"the program says {said!r}")


if __name__ == "__main__":
    main({"embed": embed, "install": install, "package": package, "taps": taps})
