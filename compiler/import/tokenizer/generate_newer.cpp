// Prints the code points assigned after Unicode 9 that canonical composition would treat specially (those with a
// combining class or a decomposition), as ranges {first, last}. Run in the build; utf8proc does not tell the age of a
// character.
#include <cstdio>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>

int main() {
  UErrorCode error = U_ZERO_ERROR;
  const UNormalizer2 *nfc = unorm2_getNFCInstance(&error);
  auto isNewer = [&](UChar32 code) {
    UVersionInfo age;
    UChar decomposition[64];
    UErrorCode ignored = U_ZERO_ERROR;
    u_charAge(code, age);
    return age[0] > 9 &&
           (u_getCombiningClass(code) || unorm2_getRawDecomposition(nfc, code, decomposition, 64, &ignored) >= 0);
  };
  if (U_FAILURE(error))
    return 1;
  for (UChar32 code = 0; code < 0x110000; code++) {
    UChar32 first = code;
    while (code < 0x110000 && isNewer(code))
      code++;
    if (first < code)
      printf("{0x%x, 0x%x},\n", unsigned(first), unsigned(code - 1));
  }
  return 0;
}
