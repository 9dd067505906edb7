/* headrace_port.h - ready ports, for programs that do not bring a table of hooks of their own.
 *
 * Each is a file of its own: linking one pulls in nothing of the others. A port belongs to one model at a time.
 */
#ifndef HEADRACE_PORT_H
#define HEADRACE_PORT_H
#include "headrace.h"

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility push(default)
#endif

/* No operating system: one thread, no clock. */
void hr_port_none(hr_port *port);

/* POSIX threads and clocks. Starts threads - 1 workers, which sleep when there is nothing to do. 0, or an errno. */
int hr_port_posix(hr_port *port, uint32_t threads);
void hr_port_posix_close(hr_port *port);

/* Linux system calls without any libc (x86-64 and AArch64). auxv: the auxiliary vector given to the process, or 0
 * (AArch64 features are then unknown, and taken to be the baseline). 0, or an errno. */
int hr_port_raw(hr_port *port, uint32_t threads, const void *auxv);
void hr_port_raw_close(hr_port *port);

#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
