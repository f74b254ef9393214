// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bindings.h"
#include "kws/runtime/all_ops_resolver.h"
#include "kws/runtime/graph_builder.h"
#include "kws/runtime/kernels/loops/avx2.h"
#include "kws/runtime/micro_interpreter.h"
#include "kws/runtime/model/op_names.h"
#include "tensor_info.h"

namespace kws::bindings {
namespace {

const char* OpName(const kws::Registration& kernel) {
  return kws::BuiltinOpName(static_cast<int32_t>(kernel.code));
}

std::string VariantName(const kws::Registration& variant, const char* shapes) {
  return std::string(OpName(variant)) + " " + shapes;
}

// An entry of the arena's plan.
struct PlanItem {
  std::string name;
  const char* kind;
  int first;
  int last;
  size_t offset;
  size_t bytes;
};

std::string Explain(const kws::MicroInterpreter& interpreter, Status status) {
  std::string text = kws::StatusMessage(status);
  const kws::ErrorDetail& error = interpreter.error();
  if (error.op_index >= 0) {
    text += std::string(" (op ") + std::to_string(error.op_index) + ", " +
            kws::BuiltinOpName(error.builtin_code) + ")";
  }
  return text;
}

// Wall-clock time of each op, summed over the runs.
class OpTimes final : public kws::Profiler {
 public:
  void BeginOp(int index, kws::BuiltinOp op) override {
    if (static_cast<size_t>(index) >= seconds.size()) {
      ops.push_back(op);
      seconds.push_back(0.0);
    }
    start_ = std::chrono::steady_clock::now();
  }
  void EndOp(int index) override {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    seconds[static_cast<size_t>(index)] += spent.count();
  }

  std::vector<kws::BuiltinOp> ops;
  std::vector<double> seconds;

 private:
  std::chrono::steady_clock::time_point start_;
};

// Owns a model's bytes, an arena and the interpreter over them.
class Interpreter {
 public:
  Interpreter(const nb::bytes& model, size_t arena_bytes)
      : bytes_(static_cast<const char*>(model.data()), model.size()), wanted_(arena_bytes) {
    Allocate();
  }
  // A second interpreter of the same model for another thread.
  Interpreter(const Interpreter& other) : bytes_(other.bytes_), wanted_(other.arena_->size()) {
    Allocate();
  }
  Interpreter& operator=(const Interpreter&) = delete;

  kws::MicroInterpreter& operator*() { return *interpreter_; }
  const kws::Model& model() const { return model_; }

  std::vector<TensorInfo> Infos(bool inputs) const {
    std::vector<TensorInfo> infos;
    kws::Model::Subgraph graph;
    model_.GetSubgraph(0, &graph);
    const size_t count = inputs ? interpreter_->inputs_size() : interpreter_->outputs_size();
    for (size_t i = 0; i < count; ++i) {
      const kws::TensorView view = inputs ? interpreter_->input(i) : interpreter_->output(i);
      TensorInfo info;
      info.shape.assign(view.dims, view.dims + view.rank);
      info.dtype = TypeName(view.type);
      info.scale = view.scale;
      info.zero_point = view.zero_point;
      const kws::FlatVector& list = inputs ? graph.inputs : graph.outputs;
      info.name = Name(model_.buffer().Element<uint32_t>(list, static_cast<uint32_t>(i)));
      infos.push_back(info);
    }
    return infos;
  }

  std::vector<std::string> Ops() const {
    std::vector<std::string> names;
    kws::Model::Subgraph graph;
    if (model_.GetSubgraph(0, &graph) != Status::kOk) return names;
    for (uint32_t i = 0; i < graph.operators.count; ++i) {
      kws::Model::Operator op;
      if (model_.GetOperator(graph, i, &op) != Status::kOk) break;
      names.emplace_back(kws::BuiltinOpName(op.builtin_code));
    }
    return names;
  }

  // The kernels that this model needs, one per op type, in the ops' order: a variant, if it
  // supports all shapes of the op type.
  std::vector<std::string> Kernels() const {
    std::vector<std::string> names;
    for (const std::string& op : Ops()) {
      std::string name = op;
#define KWS_ANY_TYPE(Op)                                           \
  if (op == OpName(kernels::k##Op) && !Prepares(kernels::k##Op)) { \
    name = VariantName(kernels::k##Op##AnyType, "any type");       \
  }
#include "kws/runtime/kernels/op_types.inc"
#undef KWS_ANY_TYPE
#define KWS_VARIANT(Op, Name, shapes)                                 \
  if (op == OpName(kernels::k##Name) && Prepares(kernels::k##Name)) { \
    name = VariantName(kernels::k##Name, shapes);                     \
  }
#include "kws/runtime/kernels/op_variants.inc"
#undef KWS_VARIANT
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
  }

  // Builds the graph again, to read the builder's table.
  std::vector<PlanItem> Plan() const {
    Arena arena(arena_->size());
    kws::ArenaLayout layout{};
    kws::GraphBuilder builder(model_, resolver_, arena.data(), static_cast<uint32_t>(arena.size()),
                              &layout);
    kws::ErrorDetail error;
    Check(builder.Build(&error));
    kws::Model::Subgraph graph;
    Check(model_.GetSubgraph(0, &graph));
    const int ops = builder.ops();
    std::vector<PlanItem> items;
    items.push_back({"inputs, outputs, ops", "records", 0, ops - 1, layout.variables_bytes,
                     builder.block() - layout.variables_bytes});
    for (int i = 0; i < builder.entries(); ++i) {
      const kws::PlanEntry& entry = builder.entry(i);
      const bool is_tensor = static_cast<uint32_t>(i) < graph.tensors.count;
      const bool kept = builder.IsVariable(i) || (entry.IsFixed() && entry.offset >= 0);
      if (entry.bytes == 0 || (entry.first == kws::PlanEntry::kNone && !kept)) continue;
      PlanItem item;
      item.name = is_tensor ? Name(static_cast<uint32_t>(i)) : "";
      item.kind = "tensor";
      if (!is_tensor) item.kind = "scratch";
      if (Lists(graph.inputs, i)) item.kind = "input";
      if (entry.last == kws::PlanEntry::kForever) item.kind = "output";
      if (entry.same_as != kws::PlanEntry::kNone) item.kind = "alias";
      if (kept) item.kind = "variable";
      item.first = kept ? 0 : entry.first;
      item.last = kept ? ops - 1 : std::min<int>(entry.last, ops - 1);
      item.offset = static_cast<size_t>(entry.offset) + (entry.IsFixed() ? 0 : builder.block());
      item.bytes = entry.bytes;
      items.push_back(item);
    }
    return items;
  }

  size_t arena_used_bytes() const { return interpreter_->arena_used_bytes(); }
  void Reset() { Check(interpreter_->Reset()); }

  nb::list Invoke(const nb::args& inputs) {
    if (inputs.size() != interpreter_->inputs_size()) {
      throw CoreError("the model has " + std::to_string(interpreter_->inputs_size()) +
                      " inputs, not " + std::to_string(inputs.size()));
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      const AnyArray array = nb::cast<AnyArray>(inputs[i]);
      const kws::TensorView view = interpreter_->input(i);
      CheckBytes(view, array.nbytes(), array.itemsize());
      std::memcpy(view.data, array.data(), view.bytes);
    }
    Check(interpreter_->Invoke());
    nb::list outputs;
    for (size_t i = 0; i < interpreter_->outputs_size(); ++i) {
      outputs.append(Copy(interpreter_->output(i)));
    }
    return outputs;
  }

  nb::list Profile(int runs) {
    OpTimes times;
    interpreter_->SetProfiler(&times);
    Status status = Status::kOk;
    for (int run = 0; run < runs && status == Status::kOk; ++run) status = interpreter_->Invoke();
    interpreter_->SetProfiler(nullptr);
    Check(status);
    nb::list costs;
    for (size_t i = 0; i < times.ops.size(); ++i) {
      costs.append(nb::make_tuple(kws::BuiltinOpName(static_cast<int32_t>(times.ops[i])),
                                  times.seconds[i] / runs));
    }
    return costs;
  }

  nb::object InvokeBatch(const AnyArray& rows, int threads) {
    const kws::TensorView in = interpreter_->input(0);
    const kws::TensorView out = interpreter_->output(0);
    if (interpreter_->inputs_size() != 1 || rows.ndim() < 1) {
      throw CoreError("a batch needs a model with one input and one row per call");
    }
    const size_t count = rows.shape(0);
    const size_t row_bytes = count > 0 ? rows.nbytes() / count : in.bytes;
    const size_t calls = std::max<size_t>(row_bytes / in.bytes, 1);
    CheckBytes(in, row_bytes / calls, count > 0 ? rows.itemsize() : kws::ElementSize(in.type));
    if (calls * in.bytes != row_bytes) throw CoreError("a row is not a whole number of inputs");
    Owned<uint8_t> result({count, out.bytes});
    {
      nb::gil_scoped_release release;
      ForRanges(count, threads, [&](size_t begin, size_t end) {
        Interpreter own(*this);
        const kws::TensorView own_in = own.interpreter_->input(0);
        const kws::TensorView own_out = own.interpreter_->output(0);
        for (size_t i = begin; i < end; ++i) {
          own.Check(own.interpreter_->Reset());
          const uint8_t* row = static_cast<const uint8_t*>(rows.data()) + i * row_bytes;
          for (size_t call = 0; call < calls; ++call) {
            std::memcpy(own_in.data, row + call * in.bytes, in.bytes);
            own.Check(own.interpreter_->Invoke());
          }
          std::memcpy(&result.data[i * out.bytes], own_out.data, out.bytes);
        }
      });
    }
    return nb::cast(result.Release()).attr("view")(TypeName(out.type));
  }

 private:
  void Allocate() {
    model_ = kws::GetModel(bytes_.data(), bytes_.size());
    if (model_.status() != Status::kOk) throw CoreError(kws::StatusMessage(model_.status()));
    // The arena's size is not known in advance. Double it up to a size that no microcontroller has.
    for (size_t size = wanted_ != 0 ? wanted_ : 64 << 10;; size *= 2) {
      arena_ = std::make_unique<Arena>(size);
      interpreter_ =
          std::make_unique<kws::MicroInterpreter>(model_, resolver_, arena_->data(), size);
      const Status status = interpreter_->AllocateTensors();
      if (status == Status::kOk) return;
      if (status == Status::kArenaTooSmall && wanted_ == 0 && size < (64u << 20)) continue;
      throw CoreError(Explain(*interpreter_, status));
    }
  }

  // Whether the model's tensors can be allocated with this variant.
  bool Prepares(const kws::Registration& variant) const {
    Arena arena(arena_->size());
    const kws::AllOpsResolver resolver(variant);
    kws::MicroInterpreter interpreter(model_, resolver, arena.data(), arena.size());
    return interpreter.AllocateTensors() == Status::kOk;
  }

  void Check(Status status) const {
    if (status != Status::kOk) throw CoreError(kws::StatusMessage(status));
  }

  static void CheckBytes(const kws::TensorView& view, size_t bytes, size_t itemsize) {
    if (bytes != view.bytes || itemsize != kws::ElementSize(view.type)) {
      throw CoreError("the input holds " + std::to_string(view.bytes) + " bytes of " +
                      TypeName(view.type) + ", but the array has " + std::to_string(bytes) +
                      " bytes in elements of " + std::to_string(itemsize));
    }
  }

  static nb::object Copy(const kws::TensorView& view) {
    Owned<uint8_t> bytes({view.bytes});
    std::memcpy(bytes.data.get(), view.data, view.bytes);
    nb::list shape;
    for (int i = 0; i < view.rank; ++i) shape.append(view.dims[i]);
    return nb::cast(bytes.Release())
        .attr("view")(TypeName(view.type))
        .attr("reshape")(nb::tuple(shape));
  }

  bool Lists(const kws::FlatVector& tensors, int index) const {
    for (uint32_t i = 0; i < tensors.count; ++i) {
      if (model_.buffer().Element<int32_t>(tensors, i) == index) return true;
    }
    return false;
  }

  // The name of a tensor of the main graph.
  std::string Name(uint32_t tensor) const {
    kws::Model::Subgraph graph;
    kws::FlatVector name{};
    if (model_.GetSubgraph(0, &graph) != Status::kOk ||
        model_.GetTensorName(graph, tensor, &name) != Status::kOk) {
      return "";
    }
    return std::string(reinterpret_cast<const char*>(model_.data()) + name.position, name.count);
  }

  std::string bytes_;
  size_t wanted_;
  kws::Model model_;
  kws::AllOpsResolver resolver_;
  std::unique_ptr<Arena> arena_;
  std::unique_ptr<kws::MicroInterpreter> interpreter_;
};

}  // namespace

void BindRuntime(nb::module_& m) {
  nb::dict ops;
#define KWS_OP(Name) ops[OpName(kernels::k##Name)] = #Name;
#include "kws/runtime/kernels/op_list.inc"
#undef KWS_OP
  m.attr("OPS") = ops;
  nb::dict all;
  all.update(ops);
#define KWS_VARIANT(Op, Name, shapes) all[VariantName(kernels::k##Name, shapes).c_str()] = #Name;
#include "kws/runtime/kernels/op_variants.inc"
#undef KWS_VARIANT
#define KWS_ANY_TYPE(Op) \
  all[VariantName(kernels::k##Op##AnyType, "any type").c_str()] = #Op "AnyType";
#include "kws/runtime/kernels/op_types.inc"
#undef KWS_ANY_TYPE
  m.attr("KERNELS") = all;
  m.def(
      "op_name", [](int code) { return std::string(kws::BuiltinOpName(code)); }, "builtin_code"_a);

  m.def("use_avx2", &kws::avx2::Use, "on"_a);

  nb::class_<PlanItem>(m, "PlanItem")
      .def_ro("name", &PlanItem::name)
      .def_prop_ro("kind", [](const PlanItem& item) { return item.kind; })
      .def_ro("first", &PlanItem::first)
      .def_ro("last", &PlanItem::last)
      .def_ro("offset", &PlanItem::offset)
      .def_ro("bytes", &PlanItem::bytes);

  nb::class_<Interpreter>(m, "Interpreter")
      .def(nb::init<const nb::bytes&, size_t>(), "model"_a, "arena_bytes"_a = 0)
      .def_prop_ro("inputs", [](const Interpreter& self) { return self.Infos(true); })
      .def_prop_ro("outputs", [](const Interpreter& self) { return self.Infos(false); })
      .def_prop_ro("ops", &Interpreter::Ops)
      .def_prop_ro("kernels", &Interpreter::Kernels)
      .def_prop_ro("plan", &Interpreter::Plan)
      .def_prop_ro("arena_used_bytes", &Interpreter::arena_used_bytes)
      .def("invoke", &Interpreter::Invoke)
      .def("invoke_batch", &Interpreter::InvokeBatch, "rows"_a, "threads"_a = 0)
      .def("profile", &Interpreter::Profile, "runs"_a = 100)
      .def("reset", &Interpreter::Reset);
}

}  // namespace kws::bindings
