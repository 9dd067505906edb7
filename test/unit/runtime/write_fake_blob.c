/* write_fake_blob.c - writes the fake library's weights.bin to the file named. */
#include "fake_library.h"

#include <stdio.h>

int main(int argc, char **argv) {
  static uint8_t blob[fake_blob_bytes] __attribute__((aligned(64)));
  FILE *file = argc == 2 ? fopen(argv[1], "wb") : 0;
  fake_blob(blob);
  return !file || fwrite(blob, 1, sizeof blob, file) != sizeof blob || fclose(file);
}
