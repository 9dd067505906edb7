/* hr_port_none.c - no operating system at all: everything optional is absent. */
#include "headrace_port.h"

void hr_port_none(hr_port *port) { *port = (hr_port){.bytes = sizeof(hr_port)}; }
