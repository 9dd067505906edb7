/* kernel_case.h - a kernel specification as the runner sees it: headrace::KernelSpec flattened. */
#ifndef HR_CONFORMANCE_KERNEL_CASE_H
#define HR_CONFORMANCE_KERNEL_CASE_H

/* Values of headrace::Family; encodings, activations and kinds of norms are those of hr_ref.h. */
enum {
  FAMILY_EMBED,
  FAMILY_NORM,
  FAMILY_QUANTIZE,
  FAMILY_GEMV,
  FAMILY_GEMM,
  FAMILY_ROPE_APPEND,
  FAMILY_ATTEND,
  FAMILY_ADD,
  FAMILY_ROUTE
};

typedef struct kernel_case {
  const char *name;
  void (*kernel)(void); /* cast to the family's signature */
  int family, enc, group, x_type, n, k, act, bias, gated, residual, cols, a8;
  int heads, kv_heads, head_dim, rotary, context, k_type, v_type;
  int positions, kind, qk_norm, q_span, k_span, qk_bias, window, causal;
  int experts, top, weighted, normalise;
  float eps, scale, softcap;
} kernel_case;

extern const kernel_case kernel_cases[];
extern const int kernel_case_count;
extern const char kernel_variant[];
extern const unsigned kernel_cpu_features; /* hr_cpu_feature bits */
#endif
