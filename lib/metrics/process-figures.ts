import { monitorEventLoopDelay } from "node:perf_hooks";
import { counter, type Family, gauge, one } from "./family";

const RESOLUTION_MS = 20;

/** Memory, processor time and event loop of this process. Figures of the loop are since the last reading. */
export function watchProcess(): () => Family[] {
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  loop.enable();
  return () => {
    const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const lag = [
      { labels: { percentile: "50" }, value: lagSeconds(loop.percentile(50)) },
      { labels: { percentile: "99" }, value: lagSeconds(loop.percentile(99)) },
      { labels: { percentile: "100" }, value: lagSeconds(loop.max) },
    ];
    loop.reset();
    return [
      gauge("weir_event_loop_lag_seconds", "How late the event loop was since the last reading", lag),
      gauge("weir_memory_bytes", "Memory by kind", [
        { labels: { kind: "rss" }, value: rss },
        { labels: { kind: "heap_used" }, value: heapUsed },
        { labels: { kind: "heap_total" }, value: heapTotal },
        { labels: { kind: "external" }, value: external },
      ]),
      counter("weir_cpu_seconds_total", "Processor time", one((user + system) / 1e6)),
      gauge("weir_process_uptime_seconds", "Since the start of the process", one(process.uptime())),
    ].map((family) => ({ ...family, isPerProcess: true }));
  };
}

/** The histogram holds the whole interval between two looks, in nanoseconds. */
function lagSeconds(nanoseconds: number): number {
  const seconds = nanoseconds / 1e9 - RESOLUTION_MS / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0;
}
