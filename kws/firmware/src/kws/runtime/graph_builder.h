// SPDX-License-Identifier: Apache-2.0
// AllocateTensors: reads the graph, prepares its ops, plans the memory.
#ifndef KWS_RUNTIME_GRAPH_BUILDER_H_
#define KWS_RUNTIME_GRAPH_BUILDER_H_

#include <cstdint>

#include "kws/runtime/model/model.h"
#include "kws/runtime/planning/arena_layout.h"
#include "kws/runtime/planning/memory_planner.h"
#include "kws/runtime/registration.h"
#include "kws/status.h"

namespace kws {

// The arena while a graph is built:
//
//   | variables | {tensor, reference} of inputs and outputs | op records -> | ... | <- plan table |
//
// Afterwards the planned block starts at the end of the records and replaces the plan table. The
// records of CALL_ONCE's graphs come first and run first.
class GraphBuilder {
 public:
  // `layout` must be ArenaLayout{}; Build fills it.
  GraphBuilder(const Model& model, const OpResolver& resolver, uint8_t* arena, uint32_t arena_size,
               ArenaLayout* layout)
      : model_(model),
        resolver_(resolver),
        arena_(arena),
        arena_size_(arena_size),
        layout_(*layout) {}

  Status Build(ErrorDetail* error);

  const Model& model() const { return model_; }

  // The plan, for tools on the host; valid after Build until the arena is written to. Entry i is
  // tensor i of the main graph; the tensors of other graphs, variables and scratch follow.
  int entries() const { return entries_; }
  const PlanEntry& entry(int index) const { return table_[index]; }
  bool IsVariable(int entry) const;
  // Start of the planned block in the arena.
  uint32_t block() const { return taken_; }
  // Ops of all graphs; the plan's times are indices into them, in execution order.
  int ops() const { return op_index_; }

 private:
  friend class PrepareContext;

  Status AddTensors();
  Status AddInputsAndOutputs();
  Status MarkForever(const FlatVector& tensors);
  Status PrepareOnce(ErrorDetail* error);
  Status PrepareOps(ErrorDetail* error);
  Status PrepareOp(uint32_t op_index, ErrorDetail* error);
  Status CheckOperands(const Model::Operator& op);
  Status CheckTensor(int32_t tensor) const;
  Status Plan();
  // Places tensors between a variable and the next op in the variable itself, which saves the copy.
  // Called through a pointer that variable ops set, so that it is linked only with them.
  static void AliasVariables(GraphBuilder& builder);
  bool MayAliasVariable(int entry) const;
  void (*alias_variables_)(GraphBuilder& builder) = nullptr;
  // Converts entry numbers to data references in the records and in the input and output list.
  void Resolve(uint32_t block);
  int32_t Reference(int32_t entry, uint32_t block) const;

  // Allocates zeroed bytes permanently. Size and offset are multiples of 4.
  Status Take(uint32_t bytes, uint32_t* offset);
  Status AddEntry(int* index);
  // The entry of a tensor of the current graph.
  int Entry(int32_t tensor) const { return first_entry_ + tensor; }
  // Finds or adds the resource variable of this name.
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
  int first_entry_ = 0;  // of the current graph's tensors
  int first_variable_ = PlanEntry::kNone;
  bool main_uses_variables_ = false;
  uint32_t taken_ = 0;        // bytes allocated from the arena's start
  uint32_t table_bytes_ = 0;  // bytes allocated from its end
  uint32_t peak_ = 0;         // maximum of their sum
  int op_index_ = 0;          // over all graphs, in execution order: the time in the plan
  int resolver_index_ = 0;
  ArenaLayout& layout_;
};

// The argument of a kernel's prepare. Tensor numbers are indices in the op's lists.
class PrepareContext {
 public:
  PrepareContext(GraphBuilder& builder, const Model::Operator& op) : builder_(builder), op_(op) {}

  const FlatBuffer& model() const { return builder_.model().buffer(); }

  int inputs() const { return static_cast<int>(op_.inputs.count); }
  int outputs() const { return static_cast<int>(op_.outputs.count); }
  bool HasInput(int i) const { return i < inputs() && InputIndex(i) >= 0; }
  // kBadModel if the tensor is left out or not in the model.
  Status Input(int i, Tensor* tensor) const;
  Status Output(int i, Tensor* tensor) const;

  // kBadModel if the op has another op's options. Absent options have default values.
  Status CheckOptions(OptionsType type) const;
  template <typename T>
  T Option(int slot, T fallback) const {
    return model().Scalar<T>(op_.options, slot, fallback);
  }
  FlatVector OptionVector(int slot, uint32_t element_bytes) const;

  // Allocates the op's zeroed record for invoke: `references` data references and the parameters.
  // An op without a record is not invoked.
  template <typename Params>
  Status Allocate(int references, Params** params, uint32_t extra_bytes = 0) {
    static_assert(alignof(Params) == 4, "data after the parameters is aligned to 4");
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
  // Uninitialized memory for the duration of the op.
  Status BindScratch(int reference, uint32_t bytes);

  // Output `out` may overlap input `in` (see PlanEntry::Overlap).
  void AllowOverlap(int in, int out, const PlanEntry::Overlap& overlap);
  // Makes output `out` an alias of input `in`. False if the input is a constant or a variable: then
  // the op has to copy.
  bool ShareOutput(int in, int out);

  // Makes output 0 a handle of the resource variable of this name (see VAR_HANDLE).
  Status BindHandle(const FlatVector& container, const FlatVector& name);
  // Binds the variable that input `i` is a handle of. All ops must agree on its `bytes`. *first: no
  // earlier op writes it. `writes`: this op writes it.
  Status BindVariable(int reference, int i, uint32_t bytes, bool writes, bool* first);
  // Input or output `i` may alias the variable that input 0 is a handle of.
  void OfferVariableAlias(int i, bool is_output);
  // CALL_ONCE is allowed in the main graph, before variables are used.
  bool MayCallOnce() const { return builder_.first_entry_ == 0 && !builder_.main_uses_variables_; }

 private:
  // Indices in the graph's list of tensors; -1 for an input left out.
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
