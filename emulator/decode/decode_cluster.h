/* Thread block clusters. */
#ifndef DECODE_CLUSTER_H
#define DECODE_CLUSTER_H

#include "decode/decode.h"

bool decode_cluster(struct decoder *d, const struct ptx_insn *p);

#endif
