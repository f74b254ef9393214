// SPDX-License-Identifier: Apache-2.0
// The results of AllocateTensors, read from the arena for the generated C++ of
// kws/bundle/compiled/.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bindings.h"
#include "kws/runtime/all_ops_resolver.h"
#include "kws/runtime/graph_builder.h"
#include "kws/runtime/kernel_context.h"
#include "kws/runtime/micro_interpreter.h"
#include "kws/runtime/model/op_names.h"

namespace kws::bindings {
namespace {

constexpr size_t kSmallestArena = 64 << 10;
constexpr size_t kLargestArena = 64 << 20;

// An op with work at run time.
struct Step {
  const char* op;
  bool once;    // before the first inference only
  bool resets;  // initializes its state in Reset
  std::vector<int32_t> references;
  std::vector<uint32_t> parameters;
};

// An input or output in the arena.
struct Place {
  uint32_t offset;
  uint32_t bytes;
};

class Compiled {
 public:
  explicit Compiled(const nb::bytes& bytes) : model_(kws::GetModel(bytes.data(), bytes.size())) {
    ErrorDetail error;
    Status status = Status::kArenaTooSmall;
    for (size_t size = kSmallestArena; status == Status::kArenaTooSmall && size <= kLargestArena;
         size *= 2) {
      arena_ = std::make_unique<Arena>(size);
      layout_ = ArenaLayout{};
      GraphBuilder builder(model_, resolver_, arena_->data(), static_cast<uint32_t>(size),
                           &layout_);
      status = builder.Build(&error);
      if (status == Status::kOk) Read(builder);
    }
    if (status != Status::kOk) throw CoreError(kws::StatusMessage(status));
  }

  std::vector<Step> steps;
  std::vector<Place> inputs;
  std::vector<Place> outputs;
  std::map<uint32_t, uint32_t> constants;  // bytes by position in the model
  uint32_t variables_bytes = 0;
  uint32_t arena_bytes = 0;

 private:
  void Read(const GraphBuilder& builder) {
    block_ = builder.block();
    variables_bytes = layout_.variables_bytes;
    uint32_t block_bytes = 0;
    for (int i = 0; i < builder.entries(); ++i) {
      const PlanEntry& entry = builder.entry(i);
      if (entry.IsFixed() || entry.first == PlanEntry::kNone) continue;
      block_bytes = std::max(block_bytes, static_cast<uint32_t>(entry.offset) + entry.bytes);
    }
    arena_bytes = variables_bytes + AlignUp(block_bytes, kPlanAlignment);
    ReadPlaces();
    ReadSteps();
    for (uint32_t i = 0; i < model_.subgraph_count(); ++i) ReadConstants(i);
  }

  // A compiled model's arena has no records between variables and block.
  int32_t Moved(int32_t reference) const {
    const int32_t gap = static_cast<int32_t>(block_ - variables_bytes);
    return reference >= static_cast<int32_t>(block_) ? reference - gap : reference;
  }

  void ReadPlaces() {
    const int32_t* pairs = reinterpret_cast<const int32_t*>(arena_->data() + layout_.ios);
    Model::Subgraph graph;
    Check(model_.GetSubgraph(0, &graph));
    for (int i = 0; i < layout_.input_count + layout_.output_count; ++i) {
      Tensor tensor;
      Check(model_.GetTensor(graph, static_cast<uint32_t>(pairs[2 * i]), &tensor));
      std::vector<Place>& places = i < layout_.input_count ? inputs : outputs;
      places.push_back({static_cast<uint32_t>(Moved(pairs[2 * i + 1])), tensor.bytes});
    }
  }

  void ReadSteps() {
    const uint8_t* at = arena_->data() + layout_.records;
    for (int i = 0; i < layout_.record_count; ++i) {
      const RecordHeader* header = reinterpret_cast<const RecordHeader*>(at);
      const int32_t* references = reinterpret_cast<const int32_t*>(header + 1);
      const uint32_t* parameters =
          reinterpret_cast<const uint32_t*>(references + header->references);
      const uint32_t* end = reinterpret_cast<const uint32_t*>(at) + header->words;
      const Registration& kernel = resolver_.at(header->registration);
      Step step{kws::BuiltinOpName(static_cast<int32_t>(kernel.code)),
                i < layout_.once_count,
                kernel.reset != nullptr,
                {references, references + header->references},
                {parameters, end}};
      for (int32_t& reference : step.references) reference = Moved(reference);
      steps.push_back(step);
      at += 4 * header->words;
    }
  }

  void ReadConstants(uint32_t index) {
    Model::Subgraph graph;
    Check(model_.GetSubgraph(index, &graph));
    for (uint32_t i = 0; i < graph.tensors.count; ++i) {
      Tensor tensor;
      Check(model_.GetTensor(graph, i, &tensor));
      if (!tensor.is_constant()) continue;
      uint32_t& bytes = constants[tensor.data];
      bytes = std::max(bytes, tensor.bytes);
    }
  }

  static void Check(Status status) {
    if (status != Status::kOk) throw CoreError(kws::StatusMessage(status));
  }

  const Model model_;
  const AllOpsResolver resolver_;
  std::unique_ptr<Arena> arena_;
  ArenaLayout layout_{};
  uint32_t block_ = 0;
};

nb::list Pairs(const std::vector<Place>& places) {
  nb::list pairs;
  for (const Place& place : places) pairs.append(nb::make_tuple(place.offset, place.bytes));
  return pairs;
}

}  // namespace

void BindCompiled(nb::module_& m) {
  nb::class_<Step>(m, "Step")
      .def_prop_ro("op", [](const Step& step) { return step.op; })
      .def_ro("once", &Step::once)
      .def_ro("resets", &Step::resets)
      .def_ro("references", &Step::references)
      .def_ro("parameters", &Step::parameters);

  nb::class_<Compiled>(m, "Compiled")
      .def(nb::init<const nb::bytes&>(), "model"_a)
      .def_ro("steps", &Compiled::steps)
      .def_prop_ro("inputs", [](const Compiled& self) { return Pairs(self.inputs); })
      .def_prop_ro("outputs", [](const Compiled& self) { return Pairs(self.outputs); })
      .def_prop_ro("constants",
                   [](const Compiled& self) {
                     nb::dict sizes;
                     for (const auto& [position, bytes] : self.constants) {
                       sizes[nb::int_(position)] = bytes;
                     }
                     return sizes;
                   })
      .def_ro("variables_bytes", &Compiled::variables_bytes)
      .def_ro("arena_bytes", &Compiled::arena_bytes);
}

}  // namespace kws::bindings
