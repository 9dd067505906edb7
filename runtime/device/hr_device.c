/* hr_device.c - the device table.
 *
 * The reference device stands for an accelerator: it has an arena, a KV cache and weight sections of its own, its
 * segments run apart from the CPU's threads, and values reach it only by copies. Executed on thread 0, it shows every
 * path that a real one needs.
 */
#include "hr_device.h"

static const hr_device_row device_table[] = {
    {HR_DEVICE_CPU, 1, 1u << HR_MEMORY_FILE_MAP | 1u << HR_MEMORY_FLASH},
    {HR_DEVICE_REFERENCE, 0, 1u << HR_MEMORY_FILE_MAP | 1u << HR_MEMORY_FLASH},
};

const hr_device_row *hr_device_find(uint32_t kind) {
  for (uint32_t i = 0; i < sizeof(device_table) / sizeof(device_table[0]); ++i)
    if (device_table[i].kind == kind)
      return &device_table[i];
  return 0;
}
