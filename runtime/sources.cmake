# The runtime as lists of C sources with absolute paths, for whoever compiles it: the host libraries here, and the libraries of each
# triple in targets/. All compile with -std=c11 -ffreestanding -fvisibility=hidden, but for the POSIX port, which needs a libc.
#
#   a bundle's library    HR_CORE_SOURCES + HR_SUPPORT_SOURCES + generated code: no undefined symbol
#   libhr_port_posix.a    HR_PORT_POSIX_SOURCES
#   headrace-run          HR_CORE_SOURCES + HR_SUPPORT_SOURCES + HR_PORT_RAW_SOURCES + HR_RUN_SOURCES + generated code; entry _start
set(_runtime ${CMAKE_CURRENT_LIST_DIR})
include(${_runtime}/core/template.cmake)
include(${_runtime}/core/tokenizer.cmake OPTIONAL)

set(HR_RUNTIME_INCLUDES
    ${_runtime}/abi
    ${_runtime}/core
    ${_runtime}/core/include
    ${_runtime}/core/support
    ${_runtime}/device
    ${_runtime}/port
    ${_runtime}/port/include
    ${_runtime}/port/linux_raw
    ${_runtime}/tools)

# What a program that uses a bundle includes.
set(HR_PUBLIC_HEADERS
    ${_runtime}/abi/hr_abi.h
    ${_runtime}/core/include/headrace.h
    ${_runtime}/port/include/headrace_port.h)

set(HR_CORE_SOURCES
    ${_runtime}/core/hr_api.c
    ${_runtime}/core/hr_bundle.c
    ${_runtime}/core/hr_embed.c
    ${_runtime}/core/hr_generate.c
    ${_runtime}/core/hr_hash.c
    ${_runtime}/core/hr_model.c
    ${_runtime}/core/hr_sample.c
    ${_runtime}/core/hr_session.c
    ${_runtime}/core/hr_session_file.c
    ${_runtime}/core/hr_status.c
    ${_runtime}/core/hr_step.c
    ${_runtime}/core/hr_stop.c
    ${_runtime}/device/hr_device.c
    ${HR_TEMPLATE_SOURCES}
    ${HR_TOKENIZER_SOURCES})

# The core's headers in an order in which each needs only earlier ones.
set(HR_CORE_HEADERS
    ${_runtime}/abi/hr_abi.h
    ${_runtime}/abi/hr_template_format.h
    ${_runtime}/abi/hr_tokenizer_format.h
    ${_runtime}/core/include/headrace.h
    ${_runtime}/device/hr_device.h
    ${_runtime}/core/hr_pure.h
    ${_runtime}/core/hr_small.h
    ${_runtime}/core/hr_internal.h
    ${_runtime}/core/hr_tokenizer_internal.h
    ${_runtime}/core/hr_template_internal.h)

# What compilers call behind one's back. The host has its own, so hr_core leaves them out.
set(HR_SUPPORT_SOURCES
    ${_runtime}/core/support/hr_support_aarch64.c
    ${_runtime}/core/support/hr_support_arm.c
    ${_runtime}/core/support/hr_support_double.c
    ${_runtime}/core/support/hr_support_half.c
    ${_runtime}/core/support/hr_support_memory.c)

set(HR_PORT_NONE_SOURCES ${_runtime}/port/none/hr_port_none.c)
set(HR_PORT_POSIX_SOURCES ${_runtime}/port/hr_cpu.c ${_runtime}/port/posix/hr_port_posix.c)
set(HR_PORT_RAW_SOURCES ${_runtime}/port/hr_cpu.c ${_runtime}/port/linux_raw/hr_port_raw.c ${_runtime}/port/linux_raw/hr_raw.c)

# The run command, shared by headrace and headrace-run; and all of headrace-run's own sources.
set(HR_RUN_COMMAND_SOURCES ${_runtime}/tools/hr_out.c ${_runtime}/tools/hr_run.c ${_runtime}/tools/hr_run_open.c
    ${_runtime}/tools/hr_run_options.c ${_runtime}/tools/hr_session_io.c)
set(HR_RUN_SOURCES ${HR_RUN_COMMAND_SOURCES} ${_runtime}/tools/hr_raw_main.c)
