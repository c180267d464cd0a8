import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startEmbeddedPostgres } from "@/server/embedded-postgres";
import { type Alternative, type GatewayProcess, startGateway, startNginx, startProgram, stopAll } from "./alternatives";
import { answersTable, median, type Row } from "./answers-table";
import { reportFaults } from "./faults/report";
import { runLoad } from "./load";
import { type MemorySample, slopePerMinute, watchMemory } from "./memory";
import { cpuMs, residentMib } from "./proc";
import { reportRealtime } from "./realtime";
import { reportTranslation } from "./translation";
import { prepareDatabase } from "./weir";

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "6" },
    warm: { type: "string", default: "20" },
    callers: { type: "string", default: "64" },
    streams: { type: "string", default: "100" },
    sessions: { type: "string", default: "100" },
    "memory-seconds": { type: "string", default: "600" },
    "slow-readers": { type: "string", default: "60" },
    rate: { type: "string", default: "3000" },
    "light-rate": { type: "string", default: "50" },
    phases: { type: "string", default: "requests,rate,light,streams" },
    only: { type: "string", default: "direct,floor,nginx,weir" },
    quick: { type: "boolean", default: false },
  },
});

const directory = mkdtempSync(join(tmpdir(), "weir-bench-"));
// When this runs as root, PostgreSQL runs under another account that must be able to reach its directory.
chmodSync(directory, 0o711);
process.env.WEIR_SECRET ??= "benchmark-secret-benchmark-secret";

const phases = flags.phases.split(",");
const bundles = (process.env.BENCH_GATEWAY ?? "dist/gateway.js").split(",");

type Prepared = {
  alternatives: Alternative[];
  gateway: GatewayProcess | null;
  key: string;
  databasePid: number;
  stop: () => Promise<void>;
};

async function prepare(): Promise<Prepared> {
  const wanted = new Set(flags.only.split(","));
  const upstream = await startProgram("upstream.ts", {});
  const upstreamUrl = `http://127.0.0.1:${upstream.port}`;
  const database = await startEmbeddedPostgres({ directory: join(directory, "postgres") });
  const key = await prepareDatabase(database.url, upstreamUrl, "bench-model,bench-bulk");
  const databasePid = Number(
    readFileSync(join(directory, "postgres", "data", "postmaster.pid"), "utf8").split("\n")[0],
  );
  const alternatives: Alternative[] = [];
  if (wanted.has("direct")) alternatives.push({ name: "direct", port: upstream.port, pid: null });
  if (wanted.has("floor"))
    alternatives.push({ name: "floor", ...(await startProgram("floor.ts", { BENCH_UPSTREAM: upstreamUrl })) });
  const nginx = wanted.has("nginx") ? await startNginx(upstream.port, directory) : null;
  if (nginx) alternatives.push({ name: "nginx", ...nginx });
  let gateway: GatewayProcess | null = null;
  for (const bundle of wanted.has("weir") ? bundles : []) {
    gateway = await startGateway(bundle, {
      DATABASE_URL: database.localUrl,
      WEIR_JOURNAL_DIR: join(directory, "journal"),
    });
    alternatives.push({ name: bundles.length === 1 ? "weir" : `weir ${bundle}`, ...gateway });
  }
  return { alternatives, gateway, key, databasePid, stop: () => database.stop() };
}

/** The same for all alternatives; those other than Weir ignore the key. */
type Load = { key: string; isStream: boolean; rate?: number };

async function measure(
  alternative: Alternative,
  databasePid: number,
  { key, isStream, rate }: Load,
  seconds: number,
): Promise<Row> {
  const callers = Number(isStream ? flags.streams : flags.callers);
  const before = { own: alternative.pid ? cpuMs(alternative.pid) : 0, database: cpuMs(databasePid) };
  const result = await runLoad({ port: alternative.port, key, callers, seconds, isStream, rate });
  const own = alternative.pid ? cpuMs(alternative.pid) - before.own : 0;
  const units = isStream ? result.chunks : result.answers;
  return {
    name: alternative.name,
    ...result,
    cpuUs: (own * 1000) / units,
    databaseUs: ((cpuMs(databasePid) - before.database) * 1000) / result.answers,
    rssMib: alternative.pid ? residentMib(alternative.pid) : 0,
  };
}

async function rounds(alternatives: Alternative[], databasePid: number, load: Load): Promise<Row[]> {
  const rows: Row[] = [];
  // Warm up first, otherwise the measurement includes compiling the hot code.
  for (const alternative of alternatives) await measure(alternative, databasePid, load, Number(flags.warm));
  for (let round = 0; round < Number(flags.rounds); round++) {
    for (const alternative of alternatives) {
      rows.push(await measure(alternative, databasePid, load, Number(flags.seconds)));
    }
  }
  return rows;
}

/** The first minute is left out: code is compiled and buffers reach their size. */
const WARM_SECONDS = 60;

async function reportMemory(gateway: GatewayProcess, key: string): Promise<void> {
  const seconds = Number(flags["memory-seconds"]);
  const streams = Number(flags["slow-readers"]);
  const result = await watchMemory({ ...gateway, key, streams, seconds });
  console.log(`\n## Memory, ${streams} slow readers, ${seconds} s\n`);
  console.log(`${result.whole} streams read whole, ${result.left} left by their reader, ${result.failed} failed,`);
  console.log(`${result.deliveredMib.toFixed(0)} MiB delivered\n`);
  console.log("| MiB | after 1 min | median | most | end | growth per minute | in the second half |");
  console.log("|---|---|---|---|---|---|---|");
  const warm = result.samples.filter((sample) => sample.atSeconds >= Math.min(WARM_SECONDS, seconds / 4));
  for (const field of ["rssMib", "heapMib"] as const) console.log(memoryRow(warm, field));
}

function memoryRow(samples: MemorySample[], field: "rssMib" | "heapMib"): string {
  const values = samples.map((sample) => sample[field]);
  const figures = [values[0] ?? Number.NaN, median(values), Math.max(...values), values.at(-1) ?? Number.NaN];
  const name = field === "rssMib" ? "resident" : "heap in use";
  const slopes = [samples, samples.slice(samples.length / 2)].map((part) => slopePerMinute(part, field).toFixed(2));
  return `| ${name} | ${figures.map((value) => value.toFixed(1)).join(" | ")} | ${slopes.join(" | ")} |`;
}

function answerPhases(key: string): { phase: string; title: string; unit: "answer" | "chunk"; load: Load }[] {
  const [rate, light] = [Number(flags.rate), Number(flags["light-rate"])];
  const whole = { key, isStream: false };
  return [
    { phase: "requests", title: `Non-streamed, ${flags.callers} callers`, unit: "answer", load: whole },
    { phase: "rate", title: `Non-streamed, ${rate} a second`, unit: "answer", load: { ...whole, rate } },
    {
      phase: "light",
      title: `Light load, ${light} whole answers a second`,
      unit: "answer",
      load: { ...whole, rate: light },
    },
    {
      phase: "streams",
      title: `Streamed, ${flags.streams} callers, 200 chunks paced at 10 ms`,
      unit: "chunk",
      load: { key, isStream: true },
    },
  ];
}

async function measureAll(): Promise<void> {
  const { alternatives, gateway, key, databasePid, stop } = await prepare();
  console.log(`${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Node.js ${process.version}`);
  for (const { phase, title, unit, load } of answerPhases(key)) {
    if (!phases.includes(phase)) continue;
    console.log(`\n## ${title}\n\n${answersTable(await rounds(alternatives, databasePid, load), unit)}`);
  }
  if (phases.includes("memory") && gateway) await reportMemory(gateway, key);
  await stopAll();
  await stop();
}

try {
  if (phases.some((phase) => !["faults", "translation", "realtime"].includes(phase))) await measureAll();
  if (phases.includes("faults")) {
    const [bundle = ""] = bundles;
    if ((await reportFaults({ directory, bundle, isQuick: flags.quick })) > 0) process.exitCode = 1;
  }
  if (phases.includes("translation")) {
    const [bundle = ""] = bundles;
    const { rounds, seconds, warm } = flags;
    const times = { rounds: Number(rounds), seconds: Number(seconds), warm: Number(warm) };
    const streams = Number(flags.streams);
    if ((await reportTranslation({ directory, bundle, ...times, streams })) > 0) process.exitCode = 1;
  }
  if (phases.includes("realtime")) {
    const [bundle = ""] = bundles;
    const [sessions, seconds] = [Number(flags.sessions), Number(process.env.BENCH_REALTIME_SECONDS ?? 60)];
    if ((await reportRealtime({ directory, bundle, sessions, seconds })) > 0) process.exitCode = 1;
  }
} finally {
  await stopAll();
  rmSync(directory, { recursive: true, force: true });
}
