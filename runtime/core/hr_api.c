/* hr_api.c - the public functions as one table. */
#include "hr_internal.h"

const hr_api *hr_api_get(void) {
  static const hr_api api = {
      .bytes = sizeof(hr_api),
      .abi_version = HR_ABI_VERSION,
      .status_text = hr_status_text,
      .arena_bytes = hr_arena_bytes,
      .session_bytes = hr_session_bytes,
      .missing_features = hr_missing_features,
      .feature_name = hr_feature_name,
      .open = hr_open,
      .check_bundle = hr_check_bundle,
      .check_payload = hr_check_payload,
      .fault_site = hr_fault_site,
      .session_open = hr_session_open,
      .session_length = hr_session_length,
      .session_rewind = hr_session_rewind,
      .session_ids = hr_session_ids,
      .session_common = hr_session_common,
      .session_file_bytes = hr_session_file_bytes,
      .session_save = hr_session_save,
      .session_load = hr_session_load,
      .append = hr_append,
      .logits = hr_logits,
      .tap_data = hr_tap_data,
      .embed = hr_embed,
      .hidden = hr_hidden,
      .cancel = hr_cancel,
      .generate = hr_generate,
      .stop_feed = hr_stop_feed,
      .stop_flush = hr_stop_flush,
      .tokenizer_open = hr_tokenizer_open,
      .tokenizer_count = hr_tokenizer_count,
      .model_tokenizer = hr_model_tokenizer,
      .tokenizer_scratch = hr_tokenizer_scratch,
      .encode = hr_encode,
      .decode_max = hr_decode_max,
      .decode = hr_decode,
      .detokenize = hr_detokenize,
  };
  return &api;
}
