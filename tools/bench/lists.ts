import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { consoleDatabase } from "@/lib/console-database";
import { sha256Hex } from "@/lib/crypto";
import { apiCases } from "./api-cases";
import { FULL_SCALE } from "./generate-scale";
import { accountCases, channelCases, mediaCases, moneyCases, otherCases } from "./list-cases";
import { type Case, findPeople, type People } from "./list-people";
import { catchUp, startScaleDatabase } from "./lists-database";
import { chartCases, logCases } from "./usage-cases";

/** Limit for the 95th percentile of a list, search, filter or chart. */
const LIMIT_MS = 300;

const { values: flags } = parseArgs({
  options: {
    directory: { type: "string", default: join(".data", "bench-lists") },
    /** Rows of the log, where the database is not made yet. */
    rows: { type: "string", default: String(FULL_SCALE.logs) },
    turns: { type: "string", default: "20" },
    only: { type: "string", default: "" },
    /** How many of the slowest cases to print. */
    show: { type: "string", default: "1000" },
  },
});

/** In ms; `first` is the 95th percentile of the first round, when most pages were not in memory yet. */
type Measured = { name: string; p50: number; p95: number; most: number; first: number };

process.env.WEIR_SECRET ??= "benchmark-secret-benchmark-secret";
process.env.WEIR_LOG_LEVEL ??= "warn";
process.env.GLOBAL_API_RATE_LIMIT_ENABLE = "false";

function percentile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Runs two rounds of `turns`: the first with pages still on disk, the second with warm caches like on a running server. */
async function measure(given: Case, turns: number): Promise<Measured> {
  const first = percentile(await timesOf(given, turns), 0.95);
  const times = await timesOf(given, turns);
  return {
    name: given.name,
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    most: times.at(-1) ?? Number.NaN,
    first,
  };
}

/** Durations in ms, ascending. Includes JSON.stringify, which a real response needs too. */
async function timesOf({ run }: Case, turns: number): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const startedAt = performance.now();
    JSON.stringify(await run(turn));
    times.push(performance.now() - startedAt);
  }
  return times.sort((a, b) => a - b);
}

/** Speed of this processor on a fixed task: the results of two runs are comparable only when this is the same. */
function machineMs(): number {
  const startedAt = performance.now();
  let text = "weir";
  for (let turn = 0; turn < 100_000; turn++) text = sha256Hex(text);
  return performance.now() - startedAt;
}

function allCases(people: People): Case[] {
  return [channelCases, accountCases, moneyCases, mediaCases, logCases, chartCases, otherCases, apiCases]
    .flatMap((casesOf) => casesOf(people))
    .filter(({ name }) => name.includes(flags.only));
}

function report(results: Measured[]): void {
  const figure = (ms: number) => ms.toFixed(1).padStart(10);
  process.stdout.write(`${["p50 ms", "p95 ms", "most ms", "first p95"].map((title) => title.padStart(10)).join("")}\n`);
  for (const { name, p50, p95, most, first } of results) {
    const figures = [p50, p95, most, first].map(figure).join("");
    process.stdout.write(`${figures}  ${p95 > LIMIT_MS ? "! " : "  "}${name}\n`);
  }
}

async function main(): Promise<void> {
  const postgres = await startScaleDatabase(flags.directory, Number(flags.rows), (text) =>
    process.stdout.write(`${text}\n`),
  );
  process.env.DATABASE_URL = postgres.url;
  const database = consoleDatabase();
  try {
    await catchUp(database.sql);
    const cases = allCases(await findPeople(database));
    const results: Measured[] = [];
    process.stdout.write(`100,000 SHA-256 take ${machineMs().toFixed(0)} ms\n`);
    for (const one of cases) {
      const result = await measure(one, Number(flags.turns)).catch((error) => refuse(one, error));
      results.push(result);
      if (!(result.p95 <= LIMIT_MS)) process.stderr.write(`slow: ${one.name}, p95 ${result.p95.toFixed(1)} ms\n`);
    }
    results.sort((a, b) => b.p95 - a.p95);
    report(results.slice(0, Number(flags.show)));
    process.stdout.write(`100,000 SHA-256 take ${machineMs().toFixed(0)} ms\n`);
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

/** A failed case gets infinite times, so it exceeds the limit. */
function refuse({ name }: Case, error: unknown): Measured {
  process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
  const never = Number.POSITIVE_INFINITY;
  return { name, p50: never, p95: never, most: never, first: never };
}

await main();
