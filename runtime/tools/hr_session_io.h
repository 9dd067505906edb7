/* hr_session_io.h - saved sessions as files. */
#ifndef HR_SESSION_IO_H
#define HR_SESSION_IO_H
#include "hr_host.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a file could not be written or loaded: the first of these that is not 0. */
typedef struct hr_session_fault {
  int error;        /* an errno */
  hr_status status; /* with `problem`, if its `what` is not empty */
  hr_problem problem;
} hr_session_fault;

/* 0 done. A file that is not written whole is not left behind, and an older one of that name stays as it was. */
int hr_session_write(const hr_host *host, const hr_api *api, const hr_session *session, const char *path,
                     hr_session_fault *fault);
int hr_session_read(const hr_host *host, const hr_api *api, hr_session *session, const char *path,
                    hr_session_fault *fault);

#ifdef __cplusplus
}
#endif
#endif
