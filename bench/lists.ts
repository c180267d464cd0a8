import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { consoleDatabase } from "@/lib/http/database";
import { apiCases } from "./api-cases";
import { accountCases, channelCases, mediaCases, moneyCases, otherCases } from "./list-cases";
import { type Case, findPeople, type People } from "./list-people";
import { catchUp, startScaleDatabase } from "./lists-database";
import { chartCases, logCases } from "./usage-cases";

/** What a list, search, filter or chart may take at the 95th percentile. */
const LIMIT_MS = 300;

const { values: flags } = parseArgs({
  options: {
    directory: { type: "string", default: join(".data", "bench-lists") },
    turns: { type: "string", default: "20" },
    only: { type: "string", default: "" },
    /** Shows the slowest so many. */
    show: { type: "string", default: "1000" },
  },
});

type Measured = { name: string; p50: number; p95: number; most: number };

process.env.WEIR_SECRET ??= "benchmark-secret-benchmark-secret";
process.env.WEIR_LOG_LEVEL ??= "warn";
process.env.GLOBAL_API_RATE_LIMIT_ENABLE = "false";

function percentile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Once to warm up, then `turns` times, one after the other. The answer is made into JSON, as it is for its reader. */
async function measure({ name, run }: Case, turns: number): Promise<Measured> {
  const times: number[] = [];
  JSON.stringify(await run(0));
  for (let turn = 0; turn < turns; turn++) {
    const startedAt = performance.now();
    JSON.stringify(await run(turn));
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  return { name, p50: percentile(times, 0.5), p95: percentile(times, 0.95), most: times.at(-1) ?? Number.NaN };
}

function allCases(people: People): Case[] {
  return [channelCases, accountCases, moneyCases, mediaCases, logCases, chartCases, otherCases, apiCases]
    .flatMap((casesOf) => casesOf(people))
    .filter(({ name }) => name.includes(flags.only));
}

function report(results: Measured[]): void {
  const figure = (ms: number) => ms.toFixed(1).padStart(9);
  process.stdout.write(`${"p50 ms".padStart(9)}${"p95 ms".padStart(9)}${"most ms".padStart(9)}\n`);
  for (const { name, p50, p95, most } of results)
    process.stdout.write(`${figure(p50)}${figure(p95)}${figure(most)}  ${p95 > LIMIT_MS ? "! " : "  "}${name}\n`);
}

async function main(): Promise<void> {
  const postgres = await startScaleDatabase(flags.directory, (text) => process.stdout.write(`${text}\n`));
  process.env.DATABASE_URL = postgres.url;
  const database = consoleDatabase();
  try {
    await catchUp(database.sql);
    const cases = allCases(await findPeople(database));
    const results: Measured[] = [];
    for (const one of cases) {
      const result = await measure(one, Number(flags.turns)).catch((error) => refuse(one, error));
      results.push(result);
      if (!(result.p95 <= LIMIT_MS)) process.stderr.write(`slow: ${one.name}, p95 ${result.p95.toFixed(1)} ms\n`);
    }
    results.sort((a, b) => b.p95 - a.p95);
    report(results.slice(0, Number(flags.show)));
    const slow = results.filter(({ p95 }) => !(p95 <= LIMIT_MS));
    process.stdout.write(
      `${results.length} cases, ${flags.turns} turns each; slowest p95 ${results[0]?.p95.toFixed(1) ?? "–"} ms; over ${LIMIT_MS} ms: ${slow.length}\n`,
    );
    if (slow.length > 0) process.exitCode = 1;
  } finally {
    await database.end();
    await postgres.stop();
  }
}

/** What failed is over every limit. */
function refuse({ name }: Case, error: unknown): Measured {
  process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
  return { name, p50: Number.POSITIVE_INFINITY, p95: Number.POSITIVE_INFINITY, most: Number.POSITIVE_INFINITY };
}

await main();
