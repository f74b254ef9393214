// SPDX-License-Identifier: Apache-2.0
// The work of AllocateTensors: reads the graph, prepares its ops, plans the memory.
#ifndef KWS_RUNTIME_PLANNING_GRAPH_BUILDER_H_
#define KWS_RUNTIME_PLANNING_GRAPH_BUILDER_H_

#include <cstdint>

#include "runtime/model/model.h"
#include "runtime/op_resolver.h"
#include "runtime/planning/arena_layout.h"
#include "runtime/planning/memory_planner.h"
#include "status.h"

namespace kws {

struct ErrorDetail;

// The arena while a graph is built:
//
//   | variables | {tensor, reference} of inputs and outputs | op records -> | ... | <- plan table |
//
// and afterwards, from the end of the records on, the planned block. The plan table is gone then.
// The records of the graphs that CALL_ONCE names come first, in time, too.
class GraphBuilder {
 public:
  // Fills `layout`, which starts as ArenaLayout{}.
  GraphBuilder(const Model& model, const OpResolver& resolver, uint8_t* arena, uint32_t arena_size,
               ArenaLayout* layout)
      : model_(model),
        resolver_(resolver),
        arena_(arena),
        arena_size_(arena_size),
        layout_(*layout) {}

  Status Build(ErrorDetail* error);

  const Model& model() const { return model_; }

  // What was planned, for tools on the host: after Build, until something is written to the arena.
  // Entry i is tensor i of the main graph, then come other graphs' tensors, variables and scratch.
  int entries() const { return entries_; }
  const PlanEntry& entry(int index) const { return table_[index]; }
  bool IsVariable(int entry) const;
  // Where the planned block starts in the arena.
  uint32_t block() const { return taken_; }
  // Ops of all graphs, in the order they run: the times in the plan.
  int ops() const { return op_index_; }

 private:
  friend class PrepareContext;

  Status AddTensors();
  Status AddInputsAndOutputs();
  Status MarkForever(const FlatVector& tensors);
  Status PrepareOnce(ErrorDetail* error);
  Status PrepareOps(ErrorDetail* error);
  Status PrepareOp(uint32_t op_index, ErrorDetail* error);
  Status CheckOperands(const Model::Operator& op, ErrorDetail* error);
  Status CheckTensor(int32_t tensor) const;
  Status Plan();
  // Tensors between a variable and the very next op lie in the variable: nothing to copy. Called
  // through a pointer that the variables' ops set, so that other programs do not link it.
  void AliasVariables();
  bool MayAliasVariable(int entry) const;
  void (GraphBuilder::*alias_variables_)() = nullptr;
  // Turns entry numbers into data references in the records and the input and output list.
  void Resolve(uint32_t block);
  int32_t Reference(int32_t entry, uint32_t block) const;

  // Zeroed bytes that stay. Size and place are multiples of 4.
  Status Take(uint32_t bytes, uint32_t* offset);
  Status AddEntry(int* index);
  // The entry of a tensor of the graph that is being built.
  int Entry(int32_t tensor) const { return first_entry_ + tensor; }
  // The resource variable of that name, new or known.
  Status FindVariable(const FlatVector& container, const FlatVector& name, int* index);
  int Root(int entry) const {
    return table_[entry].same_as == PlanEntry::kNone ? entry : table_[entry].same_as;
  }

  const Model& model_;
  const OpResolver& resolver_;
  uint8_t* arena_;
  uint32_t arena_size_;
  Model::Subgraph graph_{};
  PlanTable table_;
  int entries_ = 0;
  int first_entry_ = 0;  // of the graph's tensors
  int first_variable_ = PlanEntry::kNone;
  bool main_uses_variables_ = false;
  uint32_t taken_ = 0;        // from the arena's start
  uint32_t table_bytes_ = 0;  // from its end
  uint32_t peak_ = 0;         // most of both together
  int op_index_ = 0;          // over all graphs, in the order they run: the time in the plan
  int resolver_index_ = 0;
  ArenaLayout& layout_;
};

}  // namespace kws

#endif  // KWS_RUNTIME_PLANNING_GRAPH_BUILDER_H_
