/* hr_support.h - how the support functions are declared.
 *
 * A compiler may call these functions for code that names none of them (a struct copy becomes memcpy). A bundle's
 * library may not have an undefined symbol, and may not lend its own to the program that loads it: so they are here,
 * and hidden. HR_SUPPORT_NAME lets a test compile them under other names beside the C library's.
 */
#ifndef HR_SUPPORT_H
#define HR_SUPPORT_H
#include <stddef.h>
#include <stdint.h>

#ifndef HR_SUPPORT_NAME
#define HR_SUPPORT_NAME(name) name
#endif
#define HR_SUPPORT __attribute__((visibility("hidden"), used))

#endif
