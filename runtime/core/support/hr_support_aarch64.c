/* hr_support_aarch64.c - the outline atomics that compilers call on AArch64 when they do not know whether the CPU has
 * LSE.
 *
 * Names: __aarch64_<operation><bytes>_<order>. Each order is served by the strongest one, acquire and release, with
 * exclusive loads and stores, which every AArch64 CPU has. An atomic builtin would become a call of these functions
 * again: hence the assembly.
 */
#include "hr_support.h"

#if defined(__aarch64__)

/* s: suffix of the exclusive instructions (b, h or none); r: register prefix of the value (w, x). */
#define HR_ATOMIC_UPDATE(name, type, s, r, update)                                                                     \
  static inline type name(type value, volatile type *at) {                                                             \
    type old, next;                                                                                                    \
    uint32_t failed;                                                                                                   \
    __asm__ volatile("1: ldaxr" s " %" r "0, [%3]\n\t" update "\n\tstlxr" s " %w2, %" r "1, [%3]\n\tcbnz %w2, 1b"      \
                     : "=&r"(old), "=&r"(next), "=&r"(failed)                                                          \
                     : "r"(at), "r"(value)                                                                             \
                     : "memory");                                                                                      \
    return old;                                                                                                        \
  }

#define HR_ATOMIC_CAS(name, type, s, r, extend)                                                                        \
  static inline type name(type expected, type desired, volatile type *at) {                                            \
    type old;                                                                                                          \
    uint32_t failed;                                                                                                   \
    __asm__ volatile("1: ldaxr" s " %" r "0, [%2]\n\tcmp %" r "0, %" r "3" extend "\n\tb.ne 2f\n\tstlxr" s " %w1, %" r \
                     "4, [%2]\n\tcbnz %w1, 1b\n2:"                                                                     \
                     : "=&r"(old), "=&r"(failed)                                                                       \
                     : "r"(at), "r"(expected), "r"(desired)                                                            \
                     : "memory", "cc");                                                                                \
    return old;                                                                                                        \
  }

#define HR_ORDERS_UPDATE(operation, bytes, type, body)                                                                 \
  HR_SUPPORT type __aarch64_##operation##bytes##_relax(type v, volatile type *p) { return body(v, p); }                \
  HR_SUPPORT type __aarch64_##operation##bytes##_acq(type v, volatile type *p) { return body(v, p); }                  \
  HR_SUPPORT type __aarch64_##operation##bytes##_rel(type v, volatile type *p) { return body(v, p); }                  \
  HR_SUPPORT type __aarch64_##operation##bytes##_acq_rel(type v, volatile type *p) { return body(v, p); }

#define HR_ORDERS_CAS(bytes, type, body)                                                                               \
  HR_SUPPORT type __aarch64_cas##bytes##_relax(type e, type d, volatile type *p) { return body(e, d, p); }             \
  HR_SUPPORT type __aarch64_cas##bytes##_acq(type e, type d, volatile type *p) { return body(e, d, p); }               \
  HR_SUPPORT type __aarch64_cas##bytes##_rel(type e, type d, volatile type *p) { return body(e, d, p); }               \
  HR_SUPPORT type __aarch64_cas##bytes##_acq_rel(type e, type d, volatile type *p) { return body(e, d, p); }

#define HR_ALL(bytes, type, s, r, extend)                                                                              \
  HR_ATOMIC_UPDATE(swap##bytes, type, s, r, "mov %" r "1, %" r "4")                                                    \
  HR_ATOMIC_UPDATE(add##bytes, type, s, r, "add %" r "1, %" r "0, %" r "4")                                            \
  HR_ATOMIC_UPDATE(clear##bytes, type, s, r, "bic %" r "1, %" r "0, %" r "4")                                          \
  HR_ATOMIC_UPDATE(flip##bytes, type, s, r, "eor %" r "1, %" r "0, %" r "4")                                           \
  HR_ATOMIC_UPDATE(set##bytes, type, s, r, "orr %" r "1, %" r "0, %" r "4")                                            \
  HR_ATOMIC_CAS(compare##bytes, type, s, r, extend)                                                                    \
  HR_ORDERS_UPDATE(swp, bytes, type, swap##bytes)                                                                      \
  HR_ORDERS_UPDATE(ldadd, bytes, type, add##bytes)                                                                     \
  HR_ORDERS_UPDATE(ldclr, bytes, type, clear##bytes)                                                                   \
  HR_ORDERS_UPDATE(ldeor, bytes, type, flip##bytes)                                                                    \
  HR_ORDERS_UPDATE(ldset, bytes, type, set##bytes)                                                                     \
  HR_ORDERS_CAS(bytes, type, compare##bytes)

HR_ALL(1, uint8_t, "b", "w", ", uxtb")
HR_ALL(2, uint16_t, "h", "w", ", uxth")
HR_ALL(4, uint32_t, "", "w", "")
HR_ALL(8, uint64_t, "", "x", "")

#endif
