/* hr_cpu.h - hr_cpu_feature bits of the machine this runs on. */
#ifndef HR_CPU_H
#define HR_CPU_H
#include "hr_abi.h"

#pragma GCC visibility push(hidden)

/* hwcap, hwcap2: AT_HWCAP and AT_HWCAP2 of the auxiliary vector (AArch64; ignored elsewhere). */
uint32_t hr_cpu_detect(uint64_t hwcap, uint64_t hwcap2);

#pragma GCC visibility pop
#endif
