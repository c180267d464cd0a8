import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createLogStore } from "@/lib/log-store/clickhouse/client";
import { parseLogStoreUrl } from "@/lib/log-store/config";
import { startEmbeddedPostgres } from "@/server/embedded-postgres";
import { startOwnClickHouse } from "@/tests/operations/own-clickhouse";
import { parseAgainst } from "./against";
import {
  type Alternative,
  askProgram,
  startGateway,
  startNginx,
  startProgram,
  startWorker,
  stopAll,
} from "./alternatives";
import { answersTable } from "./answers-table";
import { NotSetUp, type UpstreamToSet, untilSetUp } from "./check-against";
import { reportFaults } from "./faults/report";
import { parseFlags, usage } from "./flags";
import { reportRealtime } from "./realtime";
import { type Phase, runRounds } from "./rounds";
import { runFacts } from "./run-facts";
import { reportSoak } from "./soak/report";
import { reportTranslation } from "./translation";
import { prepareDatabase } from "./weir";

const WRONG_USE = 2;

/** Ends the process if the command line is wrong, or asks for help. */
function readCommandLine() {
  try {
    const given = parseFlags(process.argv.slice(2));
    if (given !== "help") return { flags: given, others: parseAgainst(given.against) };
    console.log(usage());
    process.exit(0);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage()}`);
    process.exit(WRONG_USE);
  }
}

const { flags, others } = readCommandLine();
const phases = flags.phases.split(",");
const bundles = (process.env.BENCH_GATEWAY ?? "dist/gateway.js").split(",");
const DEFAULT_UPSTREAM_PORT = "4100";

const directory = mkdtempSync(join(tmpdir(), "weir-bench-"));
// When this runs as root, PostgreSQL runs under another account that must be able to reach its directory.
chmodSync(directory, 0o711);
process.env.WEIR_SECRET ??= "benchmark-secret-benchmark-secret";

type Prepared = {
  alternatives: Alternative[];
  key: string;
  databasePid: number | null;
  stop: () => Promise<void>;
};

const local = (name: string, { port, pid }: { port: number; pid: number }): Alternative => ({
  name,
  url: `http://127.0.0.1:${port}/v1/chat/completions`,
  pid,
});

async function startUpstream(): Promise<UpstreamToSet> {
  const fixed = others.length > 0 ? DEFAULT_UPSTREAM_PORT : "0";
  const host = flags["upstream-host"];
  const { port, pid } = await startProgram("upstream.ts", { PORT: flags["upstream-port"] || fixed, HOST: host });
  const url = `http://${host === "0.0.0.0" ? "127.0.0.1" : host}:${port}`;
  const requests = async () => (await askProgram<{ requests: number }>(pid)).requests;
  return { address: url, requests };
}

async function prepare(): Promise<Prepared> {
  const wanted = new Set(flags.only.split(","));
  const upstream = await startUpstream();
  // First, because it may end the run.
  await untilSetUp(others, upstream, {
    wantsStreams: phases.includes("streams"),
    waitSeconds: Number(flags.wait),
  });
  const alternatives: Alternative[] = [];
  if (wanted.has("direct"))
    alternatives.push({ name: "direct", url: `${upstream.address}/v1/chat/completions`, pid: null });
  if (wanted.has("floor"))
    alternatives.push(local("floor", await startProgram("floor.ts", { BENCH_UPSTREAM: upstream.address })));
  const nginx = wanted.has("nginx") ? await startNginx(upstream.address, directory) : null;
  if (nginx) alternatives.push(local("nginx", nginx));
  if (!wanted.has("weir"))
    return {
      alternatives: [...alternatives, ...others],
      key: "sk-none",
      databasePid: null,
      stop: async () => {},
    };
  const database = await startEmbeddedPostgres({ directory: join(directory, "postgres") });
  const key = await prepareDatabase(database.url, upstream.address);
  const pidFile = readFileSync(join(directory, "postgres", "data", "postmaster.pid"), "utf8");
  for (const bundle of bundles) {
    const env = { DATABASE_URL: database.localUrl, WEIR_JOURNAL_DIR: join(directory, "journal") };
    const gateway = await startGateway(bundle, env, join(directory, "gateway.log"));
    alternatives.push(local(bundles.length === 1 ? "weir" : `weir ${bundle}`, gateway));
  }
  const beside = wanted.has("log-store") ? await startBesideLogStore(database.localUrl) : null;
  if (beside) alternatives.push(local("weir, log store", beside.gateway));
  return {
    alternatives: [...alternatives, ...others],
    key,
    databasePid: Number(pidFile.split("\n")[0]),
    async stop() {
      await beside?.stop();
      await database.stop();
    },
  };
}

/** A gateway whose log goes to ClickHouse, and a worker that sends it there: what that costs PostgreSQL counts as well. */
async function startBesideLogStore(databaseUrl: string) {
  const bundle = bundles[0] ?? "";
  const store = await startOwnClickHouse(join(directory, "clickhouse"));
  const env = {
    DATABASE_URL: databaseUrl,
    LOG_STORE_URL: store.url,
    WEIR_JOURNAL_DIR: join(directory, "journal-log-store"),
  };
  await startWorker(join(dirname(bundle), "worker.js"), env, join(directory, "worker.log"));
  const gateway = await startGateway(bundle, env, join(directory, "gateway.log"));
  async function stop(): Promise<void> {
    const reader = createLogStore(parseLogStoreUrl(store.url));
    const [row] = await reader.query<{ rows: string }>("select count() as rows from usage_logs");
    console.log(`\n${row?.rows} rows of the log are in ClickHouse.`);
    await reader.end();
    await store.stop();
  }
  return { gateway, stop };
}

function answerPhases(): Record<string, Phase> {
  const [callers, streams] = [Number(flags.callers), Number(flags.streams)];
  const [rate, light] = [Number(flags.rate), Number(flags["light-rate"])];
  const whole = { unit: "answer", callers, isStream: false } as const;
  return {
    requests: { ...whole, title: `Non-streamed, ${callers} callers` },
    rate: { ...whole, title: `Non-streamed, ${rate} a second`, rate },
    light: { ...whole, title: `Light load, ${light} whole answers a second`, rate: light },
    streams: {
      title: `Streamed, ${streams} callers, 200 chunks paced at 10 ms`,
      unit: "chunk",
      callers: streams,
      isStream: true,
    },
  };
}

async function measureAll(): Promise<void> {
  const { alternatives, key, databasePid, stop } = await prepare();
  const database = databasePid === null ? null : join(directory, "postgres", "data");
  console.log(runFacts({ now: new Date(), rows: alternatives.map(({ name }) => name), others, database }));
  const times = { rounds: Number(flags.rounds), seconds: Number(flags.seconds), warm: Number(flags.warm) };
  for (const [name, phase] of Object.entries(answerPhases())) {
    if (!phases.includes(name)) continue;
    const rows = await runRounds(alternatives, phase, { ...times, key, databasePid });
    console.log(`\n## ${phase.title}\n\n${answersTable(rows, phase.unit)}`);
  }
  await stopAll();
  await stop();
}

try {
  if (phases.some((phase) => !["faults", "translation", "realtime", "soak"].includes(phase))) await measureAll();
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
  if (phases.includes("soak")) {
    const [minutes, rate] = [Number(flags["soak-minutes"]), Number(flags["soak-rate"])];
    if ((await reportSoak({ minutes, rate, slowReaders: Number(flags["slow-readers"]) })) > 0) process.exitCode = 1;
  }
} catch (error) {
  if (!(error instanceof NotSetUp)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await stopAll();
  rmSync(directory, { recursive: true, force: true });
}
