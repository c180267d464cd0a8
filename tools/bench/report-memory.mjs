import { GCProfiler } from "node:v8";

// Loaded into a measured process. Reports to the parent process, when asked, the bytes that were
// allocated in V8's heap since the first question: what the heap grew by between one collection and the next.

const heapUsed = () => process.memoryUsage().heapUsed;

let profiler = null;
let usedSince = 0;
let allocated = 0;

/** Adds what was allocated since the last question; looking at collections starts with the first one. */
function addUp() {
  const collections = profiler?.stop().statistics ?? [];
  for (const { beforeGC, afterGC } of collections) {
    allocated += Math.max(0, beforeGC.heapStatistics.usedHeapSize - usedSince);
    usedSince = afterGC.heapStatistics.usedHeapSize;
  }
  const used = heapUsed();
  if (profiler) allocated += Math.max(0, used - usedSince);
  profiler = new GCProfiler();
  profiler.start();
  usedSince = heapUsed();
}

process.on("message", (message) => {
  if (message?.type !== "allocated") return;
  addUp();
  process.send?.({ allocated });
});
