#include "targets/cpu/Kernels.h"

namespace headrace {

void buildAdd(VectorBuilder &b, const KernelSpec &spec, const KernelArguments &args) {
  // Rows lie end to end, padding included: one run of floats.
  Value rowBytes = b.i64c(KernelSpec::floatRowBytes(spec.cols));
  Value lo = b.imul(b.toIndex(args.begin), rowBytes), hi = b.imul(b.toIndex(args.end), rowBytes);
  b.loop(lo, hi, 128, [&](Value offset) {
    Values x = b.loadTile(b.f32, b.at(args.operands[0], offset), b.perTile);
    Values y = b.loadTile(b.f32, b.at(args.operands[1], offset), b.perTile);
    Value out = b.at(args.operands[2], offset);
    for (unsigned v = 0; v != b.perTile; ++v)
      b.store(b.fadd(x[v], y[v]), out, v * b.lanes * 4);
  });
}

} // namespace headrace
