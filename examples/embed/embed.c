/* Speaks with a model that is part of this program: nothing but a bundle's include/ and lib/, and a C compiler.
 * The weights come from load_weights(): weights_mapped.c maps the file, weights_linked.S links it into the program. */
#include "brook.h"
#include "headrace_port.h"
#include <stdio.h>
#include <string.h>

const void *load_weights(size_t *bytes);

static unsigned char arena[BROOK_ARENA_BYTES], session_memory[BROOK_SESSION_BYTES];

static int print_text(void *user, int32_t id, const char *text, size_t bytes, const float *logits) {
  fwrite(text, 1, bytes, stdout);
  return 0;
}

static hr_status speak(hr_session *session, hr_model *model, const char *prompt) {
  static char scratch[65536];
  int32_t ids[256];
  size_t n = 0;
  hr_tokenizer tokenizer;
  hr_timings timings;
  hr_generate_options options = {.max_tokens = 40};
  hr_status status = hr_model_tokenizer(model, &tokenizer);
  if (status == HR_OK)
    status = hr_encode(&tokenizer, prompt, strlen(prompt), HR_WITH_SPECIAL, ids, 256, &n, scratch, sizeof scratch);
  if (status == HR_OK)
    status = hr_generate(session, ids, (uint32_t)n, &options, print_text, 0, &timings);
  return status;
}

int main(int argc, char **argv) {
  hr_port port;
  hr_model *model;
  hr_session *session;
  hr_model_options options = {.threads = 2};
  size_t bytes;
  const void *weights = load_weights(&bytes);
  if (!weights || hr_port_posix(&port, options.threads))
    return 1;
  hr_status status = hr_open(&model, &brook_library, weights, bytes, &port, &options, arena, sizeof arena);
  if (status == HR_OK)
    status = hr_session_open(&session, model, session_memory, sizeof session_memory);
  if (status == HR_OK)
    status = speak(session, model, argc > 1 ? argv[1] : "In the beginning");
  puts(status == HR_OK ? "" : hr_status_text(status));
  hr_port_posix_close(&port);
  return status != HR_OK;
}
