// Nfc.h - the tables that runtime/core brings text to a normal form with (parts NFC, DECOMPOSE, DECOMPOSE_K, DECOMPOSED
// and COMPOSE).
#ifndef HEADRACE_IMPORT_TOKENIZER_NFC_H
#define HEADRACE_IMPORT_TOKENIZER_NFC_H

#include "runtime/abi/hr_tokenizer_format.h"

#include <vector>

namespace headrace::tokenizer {

struct NormalTables {
  std::vector<uint32_t> ranges;
  std::vector<hr_tok_decompose> decompose, decomposeK;
  std::vector<uint32_t> decomposed;
  std::vector<hr_tok_compose> compose;
};
/// For form C alone, or for all four.
NormalTables normalTables(bool nfcAlone);

} // namespace headrace::tokenizer
#endif
