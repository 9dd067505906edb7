/* hr_ref.h - the scalar kernels: the oracle of every kernel of every target.
 *
 * One function a family. Arguments: the operands of the family in the order of runtime/abi/README.md (an operand the
 * variant does not have is NULL), site where the family has one, n_valid, pos, begin, end, and then the parameters of
 * the family. C11, freestanding; no allocation, no state; nothing but what runtime/abi/README.md says.
 */
#ifndef HR_REF_H
#define HR_REF_H
#include <stdint.h>

/* In the order of headrace::Encoding, headrace::Activation and headrace::NormForm (targets/common/KernelSpec.h). */
enum hr_ref_encoding { HR_REF_F32, HR_REF_F16, HR_REF_W8, HR_REF_W4, HR_REF_W4A, HR_REF_W4Z, HR_REF_A8 };
enum hr_ref_activation { HR_REF_NONE, HR_REF_SILU, HR_REF_RELU, HR_REF_TANH, HR_REF_GELU, HR_REF_GELU_TANH };
enum hr_ref_norm_kind { HR_REF_NO_NORM, HR_REF_RMS, HR_REF_LAYER };

#ifdef __cplusplus
extern "C" {
#endif

void hr_ref_embed(const void *table, const float *positions, const int32_t *tokens, float *out, int32_t n_valid,
                  int32_t pos, int32_t begin, int32_t end, int32_t enc, int32_t group, int32_t n, int32_t k,
                  float scale);

/* group 0: out is f32 rows; else a8 rows. residual and sum are NULL together. */
void hr_ref_norm(const float *x, const float *residual, const float *weight, const float *bias, float *sum, void *out,
                 int32_t *fault, int32_t site, int32_t n_valid, int32_t pos, int32_t begin, int32_t end, int32_t cols,
                 int32_t group, int32_t kind, float eps);

void hr_ref_quantize(const float *x, void *out, int32_t *fault, int32_t site, int32_t n_valid, int32_t pos,
                     int32_t begin, int32_t end, int32_t cols, int32_t group);

/* x_type: HR_REF_F32, or HR_REF_A8 in the groups of w. route: from the share of the choice on, or NULL (then top is 0)
 */
void hr_ref_gemv(const void *w, const float *bias, const void *x, const float *route, const float *residual, float *out,
                 int32_t n_valid, int32_t pos, int32_t begin, int32_t end, int32_t enc, int32_t group, int32_t x_type,
                 int32_t n, int32_t k, int32_t act, int32_t gated, int32_t top, int32_t weighted, float softcap);

void hr_ref_gemm(const void *w, const float *bias, const void *x, const float *route, const float *residual, float *out,
                 int32_t n_valid, int32_t pos, int32_t begin, int32_t end, int32_t enc, int32_t group, int32_t x_type,
                 int32_t n, int32_t k, int32_t act, int32_t gated, int32_t top, int32_t weighted, float softcap);

/* k_type, v_type: HR_REF_F32 or HR_REF_F16 */
void hr_ref_rope_append(float *qkv, const float *table, const float *q_norm, const float *q_bias, const float *k_norm,
                        const float *k_bias, void *kcache, void *vcache, int32_t n_valid, int32_t pos, int32_t begin,
                        int32_t end, int32_t heads, int32_t kv_heads, int32_t head_dim, int32_t rotary, int32_t context,
                        int32_t k_type, int32_t v_type, int32_t qk_norm, int32_t q_span, int32_t k_span, float eps);

void hr_ref_attend(const float *qkv, const void *kcache, const void *vcache, float *out, int32_t n_valid, int32_t pos,
                   int32_t begin, int32_t end, int32_t heads, int32_t kv_heads, int32_t head_dim, int32_t context,
                   int32_t k_type, int32_t v_type, int32_t window, int32_t causal, float scale, float softcap);

void hr_ref_add(const float *a, const float *b, float *out, int32_t n_valid, int32_t pos, int32_t begin, int32_t end,
                int32_t cols);

void hr_ref_route(const float *scores, float *out, int32_t n_valid, int32_t pos, int32_t begin, int32_t end,
                  int32_t experts, int32_t top, int32_t normalise);

#ifdef __cplusplus
}
#endif
#endif
