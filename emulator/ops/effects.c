/* One row for each operation that does more than compute. */
#include "ops/effects.h"

#include <stddef.h>

#include "machine/code.h"
#include "ops/call.h"
#include "ops/control.h"
#include "ops/async.h"
#include "ops/atomic.h"
#include "ops/cluster.h"
#include "ops/matrix.h"
#include "ops/mbarrier.h"
#include "ops/load_store.h"
#include "ops/stack.h"
#include "ops/tensor_copy.h"
#include "ops/texture_fetch.h"
#include "ops/wgmma.h"

static const struct {
    handler_fn handler;
    enum effect effect;
} rows[] = {
    {op_nothing, EFFECT_NOTHING},
    {op_nanosleep, EFFECT_PAUSE},
    {op_label, EFFECT_LABEL},
    {op_predicate, EFFECT_PREDICATE},
    {op_widen, EFFECT_MOVE},
    {op_insert, EFFECT_MOVE},
    {op_extract, EFFECT_MOVE},
    {op_not_pred, EFFECT_NEGATION},
    {op_special, EFFECT_SPECIAL},
    {op_local_address, EFFECT_LOCAL_ADDRESS},
    {op_barrier_result, EFFECT_BARRIER_RESULT},
    {op_cvta, EFFECT_GENERIC_ADDRESS},

    {op_branch, EFFECT_BRANCH},
    {op_branch_if, EFFECT_BRANCH_IF},
    {op_branch_table, EFFECT_BRANCH_TABLE},
    {op_call, EFFECT_CALL},
    {op_call_indirect, EFFECT_CALL_INDIRECT},
    {op_call_landing, EFFECT_LANDING},
    {op_return, EFFECT_RETURN},
    {op_exit, EFFECT_EXIT},
    {op_trap, EFFECT_TRAP},

    {op_atomic, EFFECT_ACCESS},
    {op_copy_read, EFFECT_COPY_READ},
    {op_copy_write, EFFECT_COPY_WRITE},
    {op_bulk_read, EFFECT_BULK_READ},
    {op_bulk_write, EFFECT_BULK_WRITE},
    {op_tensor_read, EFFECT_BULK_READ},
    {op_tensor_write, EFFECT_BULK_WRITE},
    {op_ldmatrix, EFFECT_MATRIX_ROWS},
    {op_stmatrix, EFFECT_MATRIX_ROWS},
    {op_wgmma, EFFECT_DESCRIPTORS},
    {op_wmma_load, EFFECT_TILE},
    {op_wmma_store, EFFECT_TILE},
    {op_texture, EFFECT_TEXTURE},
    {op_surface, EFFECT_SURFACE},
    {op_texture_query, EFFECT_TEXTURE_QUERY},
    {op_alloca, EFFECT_STACK},
    {op_stack_save, EFFECT_STACK},
    {op_stack_restore, EFFECT_STACK},

    {op_barrier, EFFECT_BARRIER},
    {op_barrier_all, EFFECT_BARRIER},
    {op_cluster_explicit, EFFECT_SPECIAL},
    {op_cluster_arrive, EFFECT_CLUSTER_ARRIVE},
    {op_cluster_wait, EFFECT_CLUSTER_WAIT},
    {op_fence, EFFECT_FENCE},
    {op_mbarrier_init, EFFECT_MBARRIER_INIT},
    {op_mbarrier_arrive, EFFECT_MBARRIER_ARRIVE},
    {op_mbarrier_bytes, EFFECT_MBARRIER_ARRIVE},
    {op_mbarrier_multicast, EFFECT_MBARRIER_MULTICAST},
    {op_mbarrier_inval, EFFECT_MBARRIER_INVAL},
    {op_mbarrier_touch, EFFECT_MBARRIER_TOUCH},
    {op_mbarrier_wait, EFFECT_MBARRIER_WAIT},
};

enum effect operation_effect(handler_fn handler) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].handler == handler)
            return rows[i].effect;
    return EFFECT_NONE;
}
