// Kernels.h - the generators, one a family: each fills the body of a kernel's function up to, not including, the
// return.
#ifndef HEADRACE_TARGETS_CPU_KERNELS_H
#define HEADRACE_TARGETS_CPU_KERNELS_H
#include "targets/common/KernelFunction.h"
#include "targets/cpu/VectorBuilder.h"

namespace headrace {

void buildAdd(VectorBuilder &b, const KernelSpec &spec, const KernelArguments &args);
void buildAttend(VectorBuilder &b, const KernelSpec &spec, const KernelArguments &args);
void buildEmbed(VectorBuilder &b, const KernelSpec &spec, const KernelArguments &args);
void buildMatmul(VectorBuilder &b, const KernelSpec &spec, const KernelArguments &args);
void buildNorm(VectorBuilder &b, const KernelSpec &spec, const KernelArguments &args);
void buildQuantize(VectorBuilder &b, const KernelSpec &spec, const KernelArguments &args);
void buildRopeAppend(VectorBuilder &b, const KernelSpec &spec, const KernelArguments &args);
void buildRoute(VectorBuilder &b, const KernelSpec &spec, const KernelArguments &args);

} // namespace headrace
#endif
