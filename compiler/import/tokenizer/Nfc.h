// Nfc.h - the tables that runtime/core composes text with (parts NFC, DECOMPOSE, DECOMPOSED and COMPOSE).
#ifndef HEADRACE_IMPORT_TOKENIZER_NFC_H
#define HEADRACE_IMPORT_TOKENIZER_NFC_H

#include "runtime/abi/hr_tokenizer_format.h"

#include <string>
#include <vector>

namespace headrace::tokenizer {

struct NfcTables {
  std::vector<uint32_t> ranges;
  std::vector<hr_tok_decompose> decompose;
  std::vector<uint32_t> decomposed;
  std::vector<hr_tok_compose> compose;
};
const NfcTables &nfcTables();

/// The normal form C of well-formed text.
std::string toNfc(const std::string &text);

} // namespace headrace::tokenizer
#endif
