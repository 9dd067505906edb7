/* The weights that weights_linked.S put into the program. */
#include <stddef.h>

extern const unsigned char embedded_weights[], embedded_weights_end[];

const void *load_weights(size_t *bytes) {
  *bytes = (size_t)(embedded_weights_end - embedded_weights);
  return embedded_weights;
}
