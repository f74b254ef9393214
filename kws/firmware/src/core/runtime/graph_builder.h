// SPDX-License-Identifier: Apache-2.0
// The work of AllocateTensors: reads the graph, prepares its ops, plans the memory.
#ifndef KWS_RUNTIME_GRAPH_BUILDER_H_
#define KWS_RUNTIME_GRAPH_BUILDER_H_

#include <cstdint>

#include "runtime/model/model.h"
#include "runtime/planning/arena_layout.h"
#include "runtime/planning/memory_planner.h"
#include "runtime/registration.h"
#include "status.h"

namespace kws {

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

// Handed to a kernel's prepare. Tensor numbers are places in the op's own lists.
class PrepareContext {
 public:
  PrepareContext(GraphBuilder& builder, const Model::Operator& op) : builder_(builder), op_(op) {}

  const FlatBuffer& model() const { return builder_.model().buffer(); }

  int inputs() const { return static_cast<int>(op_.inputs.count); }
  int outputs() const { return static_cast<int>(op_.outputs.count); }
  bool HasInput(int i) const { return i < inputs() && InputIndex(i) >= 0; }
  // kBadModel where the tensor is left out or not in the model.
  Status Input(int i, Tensor* tensor) const;
  Status Output(int i, Tensor* tensor) const;

  // kBadModel where the op carries the options of another op. Absent options are defaults.
  Status CheckOptions(OptionsType type) const;
  template <typename T>
  T Option(int slot, T fallback) const {
    return model().Scalar<T>(op_.options, slot, fallback);
  }
  FlatVector OptionVector(int slot, uint32_t element_bytes) const;

  // Makes the op's record: `references` places for data and room for the parameters, zeroed, which
  // invoke gets back. A prepare that makes no record leaves nothing to do at run time.
  template <typename Params>
  Status Allocate(int references, Params** params, uint32_t extra_bytes = 0) {
    static_assert(alignof(Params) == 4, "what follows the parameters is aligned to 4");
    void* memory = nullptr;
    KWS_RETURN_IF_ERROR(
        AllocateRecord(references, static_cast<uint32_t>(sizeof(Params)) + extra_bytes, &memory));
    *params = static_cast<Params*>(memory);
    return Status::kOk;
  }
  // Fills data reference `reference` of the record.
  void BindInput(int reference, int i) {
    references_[reference] = HasInput(i) ? builder_.Entry(InputIndex(i)) : -1;
  }
  void BindOutput(int reference, int i) { references_[reference] = builder_.Entry(OutputIndex(i)); }
  // Memory of the op's own, without a defined content, while it runs.
  Status BindScratch(int reference, uint32_t bytes);

  // Output `out` may run over input `in` (see PlanEntry::Overlap).
  void AllowOverlap(int in, int out, const PlanEntry::Overlap& overlap);
  // Output `out` becomes another name of input `in`: same bytes, nothing to copy. False where the
  // input is a constant or a variable: then the op has to copy.
  bool ShareOutput(int in, int out);

  // Output 0 becomes a handle of the resource variable of that name (see VAR_HANDLE).
  Status BindHandle(const FlatVector& container, const FlatVector& name);
  // The variable that input `i` is a handle of, which has `bytes` bytes: all ops have to agree.
  // *first is whether no op that writes it came before; this one is one where `writes`.
  Status BindVariable(int reference, int i, uint32_t bytes, bool writes, bool* first);
  // Input or output `i` has the bytes of the variable that input 0 is a handle of: it may lie
  // there.
  void OfferVariableAlias(int i, bool is_output);
  // Whether CALL_ONCE may stand here: in the main graph, before variables are used.
  bool MayCallOnce() const { return builder_.first_entry_ == 0 && !builder_.main_uses_variables_; }

 private:
  // Of tensors in the graph's list, -1 for an input left out.
  int32_t InputIndex(int i) const {
    return model().Element<int32_t>(op_.inputs, static_cast<uint32_t>(i));
  }
  int32_t OutputIndex(int i) const {
    return model().Element<int32_t>(op_.outputs, static_cast<uint32_t>(i));
  }
  Status AllocateRecord(int references, uint32_t param_bytes, void** params);

  GraphBuilder& builder_;
  const Model::Operator& op_;
  int32_t* references_ = nullptr;
};

}  // namespace kws

#endif  // KWS_RUNTIME_GRAPH_BUILDER_H_
