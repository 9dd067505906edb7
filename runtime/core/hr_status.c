/* hr_status.c - sentences for people: statuses and CPU features. */
#include "hr_internal.h"

HR_SMALL_BEGIN

const char *hr_status_text(hr_status status) {
  switch (status) {
  case HR_OK:
    return "done";
  case HR_INVALID_ARGUMENT:
    return "an argument is missing or out of range";
  case HR_BAD_BUNDLE:
    return "the bundle is damaged, or of another version";
  case HR_MISMATCH:
    return "the library and weights.bin do not belong together";
  case HR_CPU_UNSUPPORTED:
    return "this CPU lacks a feature that the bundle was compiled for";
  case HR_OUT_OF_MEMORY:
    return "the memory given is too small";
  case HR_CONTEXT_FULL:
    return "no position is left in the context";
  case HR_NOT_FINITE:
    return "a value became infinite or not a number";
  case HR_CANCELLED:
    return "cancelled";
  case HR_NO_TOKENIZER:
    return "the bundle has no tokenizer";
  case HR_UNSUPPORTED:
    return "the bundle asks for something this runtime cannot do";
  case HR_PORT_FAILED:
    return "the platform failed to run the threads";
  case HR_STOPPED:
    return "stopped by the caller";
  case HR_BAD_TEXT:
    return "the text is not valid UTF-8";
  case HR_BAD_SESSION:
    return "the saved session is damaged, cut short or of another version";
  case HR_NO_TEMPLATE:
    return "the bundle has no chat template";
  case HR_TEMPLATE_ERROR:
    return "the chat template failed";
  }
  return "unknown status";
}

const char *hr_feature_name(uint32_t bit) {
  switch (bit) {
  case HR_CPU_X86_AVX2_FMA:
    return "AVX2+FMA+F16C";
  case HR_CPU_X86_AVX_VNNI:
    return "AVX-VNNI";
  case HR_CPU_X86_AVX512:
    return "AVX512 F+BW+DQ+VL";
  case HR_CPU_X86_AVX512_VNNI:
    return "AVX512-VNNI";
  case HR_CPU_ARM_NEON:
    return "NEON";
  case HR_CPU_ARM_DOTPROD:
    return "dotprod";
  case HR_CPU_ARM_I8MM:
    return "i8mm";
  default:
    return "unknown";
  }
}

uint32_t hr_missing_features(const hr_library *library, const hr_port *port) {
  if (!library || !port || !port->cpu_features)
    return 0;
  return library->cpu_features & ~port->cpu_features(port->context);
}

HR_SMALL_END
