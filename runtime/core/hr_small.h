/* hr_small.h - HR_SMALL_BEGIN and HR_SMALL_END stand around the functions of files where little code matters more than
 * fast code. */
#ifndef HR_SMALL_H
#define HR_SMALL_H
#if defined(__clang__)
#define HR_SMALL_BEGIN _Pragma("clang attribute push(__attribute__((minsize)), apply_to = function)")
#define HR_SMALL_END _Pragma("clang attribute pop")
#else
#define HR_SMALL_BEGIN
#define HR_SMALL_END
#endif
#endif
