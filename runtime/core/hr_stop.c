/* hr_stop.c - stop strings in streamed text.
 *
 * What is held back is always the longest end of the text that some stop string begins with, so it needs no memory of
 * its own: it is the first `held` bytes of strings[held_in].
 */
#include "hr_internal.h"

HR_SMALL_BEGIN

/* Byte i of what is held followed by `next`. */
static char held_byte(const hr_stop *s, size_t i, char next) { return i < s->held ? s->strings[s->held_in][i] : next; }

/* Does `string` begin with bytes [from, held] of what is held followed by `next`? */
static bool begins_string(const hr_stop *s, const char *string, size_t from, char next) {
  for (size_t i = from; i <= s->held; ++i)
    if (string[i - from] != held_byte(s, i, next))
      return false; /* also at the end of the string */
  return true;
}

/* The string that bytes [from, held] of what is held followed by `next` are all of, or else the beginning of; -1: none.
 */
static int64_t find_string(const hr_stop *s, size_t from, char next, bool all) {
  for (uint32_t i = 0; i < s->count; ++i)
    if (begins_string(s, s->strings[i], from, next) && (!all || !s->strings[i][s->held + 1 - from]))
      return i;
  return -1;
}

/* Takes one byte. The first *out of the bytes held before it and of itself are free to go. True: a string is complete,
 * which counts before any longer one that may still come. */
static bool take_byte(hr_stop *s, char next, size_t *out) {
  for (int all = 1; all >= 0; --all)
    for (size_t from = 0; from <= s->held; ++from) {
      int64_t string = find_string(s, from, next, all);
      if (string < 0)
        continue;
      *out = from;
      s->held = (uint32_t)(s->held + 1 - from);
      s->held_in = (uint32_t)string;
      return all;
    }
  *out = (size_t)s->held + 1;
  s->held = 0;
  return false;
}

int hr_stop_feed(hr_stop *stop, const char *text, size_t bytes, hr_text_fn emit, void *user) {
  size_t run = 0, i = 0; /* text[run, i) goes out, in one piece */
  for (; i < bytes && !stop->found; ++i) {
    hr_stop before = *stop;
    size_t out;
    stop->found = take_byte(stop, text[i], &out);
    bool plain = out > before.held; /* text[i] goes out too */
    size_t kept = plain ? before.held : out;
    if (plain && !kept)
      continue;
    if (i > run)
      emit(user, text + run, i - run);
    if (kept)
      emit(user, before.strings[before.held_in], kept);
    run = plain ? i : i + 1;
  }
  if (i > run)
    emit(user, text + run, i - run);
  return stop->found;
}

void hr_stop_flush(hr_stop *stop, hr_text_fn emit, void *user) {
  if (!stop->found && stop->held)
    emit(user, stop->strings[stop->held_in], stop->held);
  stop->held = 0;
}

HR_SMALL_END
