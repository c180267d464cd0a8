import type { Alternative } from "./alternatives";
import { runLoad } from "./load";
import { median } from "./statistics";

/** Fixed numbers of calls, because compiled code allocates less, and a busy machine would compile less in a fixed time. */
const answers = { isStream: false, callers: 64, warm: 6_000, calls: 1_000, passes: 3 };
const streams = { isStream: true, callers: 20, warm: 40, calls: 20, passes: 1 };
/** Until the calls are made, however slow the machine is. */
const SECONDS = 600;

/** Bytes that an alternative allocates in V8's heap for each whole answer, or each chunk. */
async function bytesOf(alternative: Alternative, shape: typeof answers, benchKey: string): Promise<number> {
  const { url, allocated, model, headers, key = benchKey } = alternative;
  if (!allocated) return Number.NaN;
  const { isStream, callers, warm, passes } = shape;
  const load = { url, key, model, headers, callers, seconds: SECONDS, isStream };
  await runLoad({ ...load, calls: warm });
  const results: number[] = [];
  for (let pass = 0; pass < passes; pass++) {
    const before = await allocated();
    const result = await runLoad({ ...load, calls: shape.calls });
    if (result.failures > 0) throw new Error(`${alternative.name}: ${result.failures} calls failed`);
    results.push(((await allocated()) - before) / (isStream ? result.chunks : result.answers));
  }
  return median(results);
}

/** A table of what each alternative allocates. Other work on the machine hardly changes it. */
export async function allocationsTable(alternatives: readonly Alternative[], key: string): Promise<string> {
  const lines = ["| alternative | bytes allocated per answer | per chunk |", "|---|---|---|"];
  for (const alternative of alternatives.filter(({ allocated }) => allocated)) {
    const figures = [await bytesOf(alternative, answers, key), await bytesOf(alternative, streams, key)];
    lines.push(`| ${alternative.name} | ${figures.map((value) => value.toFixed(0)).join(" | ")} |`);
  }
  return lines.join("\n");
}
