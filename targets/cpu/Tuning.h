// Tuning.h - register blocks and distances, one row an instruction set. They change speed, never bits.
#ifndef HEADRACE_TARGETS_CPU_TUNING_H
#define HEADRACE_TARGETS_CPU_TUNING_H
#include "targets/devices/Variant.h"

namespace headrace {

/// rows of x times native registers of outputs that are accumulated at once; registers divide 32 / lanes.
struct RegisterBlock {
  unsigned rows, registers;
};

struct Tuning {
  DotKind dot;
  unsigned floatTiles; ///< gemv of f32 and f16: row tiles in flight, to cover the latency of fma
  RegisterBlock floatGemm;
  unsigned quantGemvRegisters;
  RegisterBlock quantGemm;
  unsigned attendQueries;    ///< queries of one kv head that are taken together
  unsigned attendTiles;      ///< tiles of 32 positions whose scores are computed together
  unsigned attendTilesAlone; ///< the same for a query by itself
  unsigned attendRegisters;  ///< registers of head elements of each query that are summed over the positions at once
  unsigned prefetchBytes;    ///< gemv: how far ahead weights are prefetched; 0: left to the hardware
};

const Tuning &tuningOf(const Variant &variant);

} // namespace headrace
#endif
