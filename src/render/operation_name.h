/* What the operation of a worked line, or of a map's cell, is called in JSON and by the page. */
#ifndef SELFATTN_RENDER_OPERATION_NAME_H
#define SELFATTN_RENDER_OPERATION_NAME_H

#include "trace/trace.h"

const char *operation_name(operation op);

#endif
