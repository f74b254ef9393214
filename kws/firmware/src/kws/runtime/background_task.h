// SPDX-License-Identifier: Apache-2.0
#ifndef KWS_RUNTIME_BACKGROUND_TASK_H_
#define KWS_RUNTIME_BACKGROUND_TASK_H_

namespace kws {

// Short work that cannot wait for the end of a long inference, such as taking samples from a ring
// before it is full. It runs between ops, so it must not use the runner or its arena.
class BackgroundTask {
 public:
  virtual void Run() = 0;

 protected:
  // Never deleted through this base: a virtual destructor would link `operator delete`.
  ~BackgroundTask() = default;
};

}  // namespace kws

#endif  // KWS_RUNTIME_BACKGROUND_TASK_H_
