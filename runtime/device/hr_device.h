/* hr_device.h - the devices a library may name, and what the core has to know of each. One row a kind. */
#ifndef HR_DEVICE_H
#define HR_DEVICE_H
#include "hr_abi.h"

#pragma GCC visibility push(hidden)

typedef struct hr_device_row {
  uint32_t kind;        /* hr_device_kind */
  uint32_t all_threads; /* 1: every thread of the step runs its segments; 0: thread 0 alone does, as if the step had one
                           thread */
  uint32_t memory_kinds; /* bit set over hr_memory_kind: where its weight sections may lie */
} hr_device_row;

/* 0: this runtime cannot drive such a device. */
const hr_device_row *hr_device_find(uint32_t kind);

#pragma GCC visibility pop
#endif
