// SPDX-License-Identifier: Apache-2.0
// What a kernel sees of the interpreter: PrepareContext once, InvokeContext each inference.
#ifndef KWS_RUNTIME_KERNEL_CONTEXT_H_
#define KWS_RUNTIME_KERNEL_CONTEXT_H_

#include <cstdint>

#include "runtime/model/model.h"
#include "runtime/planning/graph_builder.h"
#include "runtime/planning/memory_planner.h"
#include "status.h"

namespace kws {

// An op's record in the arena: this header, its data references, then the kernel's parameters.
struct RecordHeader {
  uint16_t words;        // of the whole record, 4 bytes each
  uint8_t registration;  // place in the op resolver
  uint8_t references;
};
static_assert(sizeof(RecordHeader) == 4, "records are counted in words");

// Where data lies: >= 0: that many bytes into the arena; < 0: with the sign bit cleared, that many
// bytes into the model (position 0 there: no data).
constexpr int32_t kNoData = INT32_MIN;
inline int32_t ModelReference(uint32_t position) {
  return static_cast<int32_t>(position | 0x80000000u);
}

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

// Handed to a kernel's invoke.
class InvokeContext {
 public:
  InvokeContext(uint8_t* arena, const uint8_t* model, const RecordHeader* record)
      : arena_(arena),
        model_(model),
        references_(reinterpret_cast<const int32_t*>(record + 1)),
        count_(record->references) {}
  // Of a compiled model: `count` data references with the parameters behind them. What lies in the
  // model counts from `constants`.
  InvokeContext(uint8_t* arena, const void* constants, const uint32_t* references, int count)
      : arena_(arena),
        model_(static_cast<const uint8_t*>(constants)),
        references_(reinterpret_cast<const int32_t*>(references)),
        count_(count) {}

  // Null where an optional input is left out.
  template <typename T>
  const T* Data(int reference) const {
    return reinterpret_cast<const T*>(Resolve(references_[reference]));
  }
  // For outputs, variables and scratch, which lie in the arena.
  template <typename T>
  T* MutableData(int reference) const {
    return reinterpret_cast<T*>(arena_ + references_[reference]);
  }
  template <typename P>
  const P& Params() const {
    return *reinterpret_cast<const P*>(references_ + count_);
  }
  // What follows the parameters in the record.
  template <typename T, typename P>
  const T* Extra() const {
    return reinterpret_cast<const T*>(&Params<P>() + 1);
  }

 private:
  const uint8_t* Resolve(int32_t reference) const {
    if (reference >= 0) return arena_ + reference;
    return reference == kNoData ? nullptr : model_ + (reference & INT32_MAX);
  }

  uint8_t* arena_;
  const uint8_t* model_;
  const int32_t* references_;
  int count_;
};

}  // namespace kws

#endif  // KWS_RUNTIME_KERNEL_CONTEXT_H_
