// SPDX-License-Identifier: Apache-2.0
// The content of a .tflite file, even if the runtime cannot run it.
#include <cstdint>
#include <string>
#include <vector>

#include "bindings.h"
#include "kws/runtime/model/model.h"
#include "kws/runtime/model/op_names.h"
#include "tensor_info.h"

namespace kws::bindings {
namespace {

// Slots of the schema's tables that the runtime does not read: names of custom ops.
constexpr int kModelOperatorCodes = 1;
constexpr int kOperatorCodeIndex = 0;
constexpr int kCodeCustom = 1;

struct OpFacts {
  std::string name;
  bool custom;
  std::vector<std::string> takes;
  std::vector<std::string> gives;
};

struct ModelFacts {
  std::vector<TensorInfo> inputs;
  std::vector<TensorInfo> outputs;
  std::vector<OpFacts> ops;
};

class Reader {
 public:
  explicit Reader(const nb::bytes& bytes)
      : model_(static_cast<const char*>(bytes.data()), bytes.size()) {
    Check(model_.status());
  }

  ModelFacts Read() const {
    ModelFacts facts;
    for (uint32_t i = 0; i < model_.subgraph_count(); ++i) {
      kws::Model::Subgraph graph;
      Check(model_.GetSubgraph(i, &graph));
      if (i == 0) {
        facts.inputs = Infos(graph, graph.inputs);
        facts.outputs = Infos(graph, graph.outputs);
      }
      for (uint32_t k = 0; k < graph.operators.count; ++k) facts.ops.push_back(Op(graph, k));
    }
    return facts;
  }

 private:
  static void Check(Status status) {
    if (status != Status::kOk) throw CoreError(kws::StatusMessage(status));
  }

  std::string Text(const kws::FlatVector& text) const {
    return std::string(reinterpret_cast<const char*>(model_.data()) + text.position, text.count);
  }

  // Unsupported shapes and options are accepted here: the type is known.
  kws::Tensor Tensor(const kws::Model::Subgraph& graph, uint32_t index) const {
    kws::Tensor tensor;
    const Status status = model_.GetTensor(graph, index, &tensor);
    if (status == Status::kBadModel) Check(status);
    return tensor;
  }

  std::vector<TensorInfo> Infos(const kws::Model::Subgraph& graph,
                                const kws::FlatVector& tensors) const {
    std::vector<TensorInfo> infos;
    for (uint32_t i = 0; i < tensors.count; ++i) {
      const uint32_t index = model_.buffer().Element<uint32_t>(tensors, i);
      const kws::Tensor tensor = Tensor(graph, index);
      kws::FlatVector name{};
      Check(model_.GetTensorName(graph, index, &name));
      TensorInfo info{Text(name), {}, TypeName(tensor.type), tensor.scale, tensor.zero_point};
      if (tensor.elements > 0) info.shape.assign(tensor.dims, tensor.dims + tensor.rank);
      infos.push_back(info);
    }
    return infos;
  }

  OpFacts Op(const kws::Model::Subgraph& graph, uint32_t index) const {
    kws::Model::Operator op;
    Check(model_.GetOperator(graph, index, &op));
    const bool custom = op.builtin_code == static_cast<int32_t>(kws::BuiltinOp::kCustom);
    OpFacts facts{kws::BuiltinOpName(op.builtin_code), custom, {}, {}};
    if (facts.custom) facts.name = CustomName(graph, index);
    facts.takes = Types(graph, op.inputs);
    facts.gives = Types(graph, op.outputs);
    return facts;
  }

  std::string CustomName(const kws::Model::Subgraph& graph, uint32_t index) const {
    const kws::FlatBuffer& file = model_.buffer();
    kws::FlatTable root;
    kws::FlatTable op;
    kws::FlatTable code;
    kws::FlatVector codes{};
    kws::FlatVector name{};
    if (!file.Root(&root) || !file.Vector(root, kModelOperatorCodes, &codes) ||
        !file.TableElement(graph.operators, index, &op) ||
        !file.TableElement(codes, file.Scalar<uint32_t>(op, kOperatorCodeIndex, 0), &code) ||
        !file.Vector(code, kCodeCustom, 1, &name)) {
      Check(Status::kBadModel);
    }
    return Text(name);
  }

  std::vector<std::string> Types(const kws::Model::Subgraph& graph,
                                 const kws::FlatVector& tensors) const {
    std::vector<std::string> types;
    for (uint32_t i = 0; i < tensors.count; ++i) {
      const int32_t tensor = model_.buffer().Element<int32_t>(tensors, i);
      if (tensor < 0) continue;  // an omitted optional input
      types.emplace_back(TypeName(Tensor(graph, static_cast<uint32_t>(tensor)).type));
    }
    return types;
  }

  kws::Model model_;
};

}  // namespace

void BindModelFacts(nb::module_& m) {
  nb::class_<TensorInfo>(m, "TensorInfo")
      .def_ro("name", &TensorInfo::name)
      .def_prop_ro("shape",
                   [](const TensorInfo& info) {
                     nb::list shape;
                     for (const int dim : info.shape) shape.append(dim);
                     return nb::tuple(shape);
                   })
      .def_ro("dtype", &TensorInfo::dtype)
      .def_ro("scale", &TensorInfo::scale)
      .def_ro("zero_point", &TensorInfo::zero_point);
  nb::class_<OpFacts>(m, "OpFacts")
      .def_ro("name", &OpFacts::name)
      .def_ro("custom", &OpFacts::custom)
      .def_ro("takes", &OpFacts::takes)
      .def_ro("gives", &OpFacts::gives);
  nb::class_<ModelFacts>(m, "ModelFacts")
      .def_ro("inputs", &ModelFacts::inputs)
      .def_ro("outputs", &ModelFacts::outputs)
      .def_ro("ops", &ModelFacts::ops);
  m.def(
      "model_facts", [](const nb::bytes& model) { return Reader(model).Read(); }, "model"_a);
}

}  // namespace kws::bindings
