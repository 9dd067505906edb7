/* support_renamed.h - forced into the support sources, so that they can be tested beside the C library's own functions.
 */
#define HR_SUPPORT_NAME(name) test_##name
#define HR_SUPPORT_TESTED
