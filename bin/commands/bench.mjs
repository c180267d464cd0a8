import { join } from "node:path";
import { ensureBundled, ensureInstalled } from "../../scripts/steps.mjs";
import { runSource } from "../run-built.mjs";

export const bench = {
  summary: "measures load, latency and CPU per request (tools/bench/README.md)",
  handsOn: true,
  async run(_values, rest) {
    await ensureInstalled();
    if (!process.env.BENCH_GATEWAY) {
      // Not in dist/, which a running Weir may be using.
      const outdir = join("node_modules", ".cache", "weir-bench");
      await ensureBundled({ names: ["gateway", "worker"], outdir });
      process.env.BENCH_GATEWAY = join(outdir, "gateway.js");
    }
    runSource([join("tools", "bench", "run.ts"), ...rest]);
  },
};
