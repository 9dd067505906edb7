/* hr_utf8.c - UTF-8, for tokenizer and chat template. */
#include "hr_tokenizer_internal.h"

HR_SMALL_BEGIN

uint32_t hr_utf8_write(uint8_t *to, uint32_t code) {
  if (code < 0x80) {
    to[0] = (uint8_t)code;
    return 1;
  }
  uint32_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (uint32_t i = n - 1; i > 0; i--, code >>= 6)
    to[i] = (uint8_t)(0x80 | (code & 0x3f));
  to[0] = (uint8_t)((0xf00u >> n) | code);
  return n;
}

/* Table 3-7 of the Unicode standard: the second byte's range excludes overlong forms, surrogates and what lies beyond
 * U+10FFFF. */
size_t hr_utf8_valid(const uint8_t *text, size_t n) {
  size_t i = 0;
  while (i < n) {
    uint32_t lead = text[i];
    if (lead < 0x80) {
      i++;
      continue;
    }
    uint32_t need = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (!need || n - i < need)
      return i;
    uint32_t low = lead == 0xe0   ? 0xa0
                   : lead == 0xf0 ? 0x90
                                  : 0x80,
             high = lead == 0xed   ? 0x9f
                    : lead == 0xf4 ? 0x8f
                                   : 0xbf;
    if (text[i + 1] < low || text[i + 1] > high)
      return i;
    for (uint32_t k = 2; k < need; k++)
      if ((text[i + k] & 0xc0) != 0x80)
        return i;
    i += need;
  }
  return n;
}

HR_SMALL_END
