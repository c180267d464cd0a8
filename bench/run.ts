import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startEmbeddedPostgres } from "@/server/embedded-postgres";
import { type Alternative, startGateway, startNginx, startProgram, stopAll } from "./alternatives";
import { type LoadResult, runLoad } from "./load";
import { cpuMs, residentMib } from "./proc";
import { prepareDatabase } from "./weir";

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "6" },
    callers: { type: "string", default: "64" },
    streams: { type: "string", default: "100" },
    phases: { type: "string", default: "requests,streams" },
    only: { type: "string", default: "direct,floor,nginx,weir" },
  },
});

type Row = LoadResult & { name: string; cpuUs: number; databaseUs: number; rssMib: number };

const directory = mkdtempSync(join(tmpdir(), "weir-bench-"));
// PostgreSQL runs as an account of its own when this runs as root, and must reach its folder.
chmodSync(directory, 0o711);
process.env.WEIR_SECRET ??= "benchmark-secret-benchmark-secret";

async function prepare(): Promise<{ alternatives: Alternative[]; databasePid: number; stop: () => Promise<void> }> {
  const wanted = new Set(flags.only.split(","));
  const upstream = await startProgram("upstream.ts", {});
  const upstreamUrl = `http://127.0.0.1:${upstream.port}`;
  const database = await startEmbeddedPostgres({ directory: join(directory, "postgres") });
  const key = await prepareDatabase(database.url, upstreamUrl);
  const databasePid = Number(
    readFileSync(join(directory, "postgres", "data", "postmaster.pid"), "utf8").split("\n")[0],
  );
  const alternatives: Alternative[] = [];
  if (wanted.has("direct")) alternatives.push({ name: "direct", port: upstream.port, key: "", pid: null });
  if (wanted.has("floor"))
    alternatives.push({ name: "floor", key: "", ...(await startProgram("floor.ts", { BENCH_UPSTREAM: upstreamUrl })) });
  const nginx = wanted.has("nginx") ? await startNginx(upstream.port, directory) : null;
  if (nginx) alternatives.push({ name: "nginx", key: "", ...nginx });
  if (wanted.has("weir"))
    alternatives.push({ name: "weir", key, ...(await startGateway({ DATABASE_URL: database.url })) });
  return { alternatives, databasePid, stop: () => database.stop() };
}

async function measure(
  alternative: Alternative,
  databasePid: number,
  isStream: boolean,
  seconds: number,
): Promise<Row> {
  const callers = Number(isStream ? flags.streams : flags.callers);
  const before = { own: alternative.pid ? cpuMs(alternative.pid) : 0, database: cpuMs(databasePid) };
  const result = await runLoad({ port: alternative.port, key: alternative.key, callers, seconds, isStream });
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

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function report(title: string, rows: Row[], unit: string): void {
  const names = [...new Set(rows.map((row) => row.name))];
  const of = (name: string, field: Exclude<keyof Row, "name">) =>
    median(rows.filter((row) => row.name === name).map((row) => row[field]));
  const floor = of("floor", "cpuUs");
  console.log(`\n## ${title}\n`);
  console.log(
    `| alternative | ${unit}/round | failed | CPU µs per ${unit} | × floor | PostgreSQL µs per answer | p50 ms | p99 ms | first byte p50 | p99 | RSS MiB |`,
  );
  console.log("|---|---|---|---|---|---|---|---|---|---|---|");
  for (const name of names) {
    const cpu = of(name, "cpuUs");
    const cells = [
      of(name, unit === "chunk" ? "chunks" : "answers"),
      of(name, "failures"),
      cpu.toFixed(1),
      (cpu / floor).toFixed(2),
      name === "weir" ? of(name, "databaseUs").toFixed(1) : "–",
      ...(["p50Ms", "p99Ms", "firstByteP50Ms", "firstByteP99Ms"] as const).map((field) => of(name, field).toFixed(2)),
      of(name, "rssMib").toFixed(0),
    ];
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
}

async function rounds(alternatives: Alternative[], databasePid: number, isStream: boolean): Promise<Row[]> {
  const rows: Row[] = [];
  for (const alternative of alternatives) await measure(alternative, databasePid, isStream, 2);
  for (let round = 0; round < Number(flags.rounds); round++) {
    for (const alternative of alternatives) {
      rows.push(await measure(alternative, databasePid, isStream, Number(flags.seconds)));
    }
  }
  return rows;
}

const { alternatives, databasePid, stop } = await prepare();
try {
  console.log(`${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Node.js ${process.version}`);
  if (flags.phases.includes("requests"))
    report(`Non-streamed, ${flags.callers} callers`, await rounds(alternatives, databasePid, false), "answer");
  if (flags.phases.includes("streams"))
    report(
      `Streamed, ${flags.streams} callers, 200 chunks paced at 10 ms`,
      await rounds(alternatives, databasePid, true),
      "chunk",
    );
} finally {
  await stopAll();
  await stop();
  rmSync(directory, { recursive: true, force: true });
}
