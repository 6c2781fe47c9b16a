/* gate.h - for the lessons: a gate in the default stream. What is queued behind it waits until somebody opens it. */
#pragma once

#include "owner.h"
#include <chrono>
#include <condition_variable>
#include <mutex>

struct Gate {
    std::mutex lock;
    std::condition_variable changed;
    bool open, gave_up;
    int milliseconds;
};
inline Gate gate;

inline void wait_at_gate(void *) {
    std::unique_lock<std::mutex> guard(gate.lock);
    gate.gave_up =
        !gate.changed.wait_for(guard, std::chrono::milliseconds(gate.milliseconds), [] { return gate.open; });
}

/* What comes behind this in the stream waits for release(), or for so many milliseconds. */
inline void hold(int milliseconds) {
    std::lock_guard<std::mutex> guard(gate.lock);
    gate.open = gate.gave_up = false;
    gate.milliseconds = milliseconds;
    check(cudaLaunchHostFunc(nullptr, wait_at_gate, nullptr));
}

inline void release() {
    std::lock_guard<std::mutex> guard(gate.lock);
    gate.open = true;
    gate.changed.notify_all();
}

inline bool gave_up() {
    std::lock_guard<std::mutex> guard(gate.lock);
    return gate.gave_up;
}

inline void synchronize() {
    check(cudaStreamSynchronize(nullptr));
}
