import { randomInt } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createLogStore } from "@/lib/log-store/clickhouse/client";
import { parseLogStoreUrl } from "@/lib/log-store/config";
import { startEmbeddedPostgres } from "@/server/embedded-postgres";
import { startOwnClickHouse } from "@/tests/operations/own-clickhouse";
import { parseAgainst } from "./against";
import { allocationsTable } from "./allocations";
import {
  type Alternative,
  askProgram,
  freePort,
  startGateway,
  startNginx,
  startProgram,
  startWorker,
  stopAll,
} from "./alternatives";
import { answersTable } from "./answers-table";
import { NotSetUp, type UpstreamToSet, untilSetUp } from "./check-against";
import { pinCores } from "./cores";
import { reportFaults } from "./faults/report";
import { parseFlags, usage } from "./flags";
import { startOwnWeir } from "./own-weir";
import { reportRealtime } from "./realtime";
import { type Phase, runRounds } from "./rounds";
import { runFacts } from "./run-facts";
import { reportSoak } from "./soak/report";
import { seededRandom } from "./statistics";
import { reportTranslation } from "./translation";
import { parseTrees, removeCheckouts, type StartedTree, startTree } from "./trees";
import { BRIEF_CHUNKS } from "./upstream-answers";
import { prepareDatabase } from "./weir";

const WRONG_USE = 2;

/** Ends the process if the command line is wrong, or asks for help. */
function readCommandLine() {
  try {
    const given = parseFlags(process.argv.slice(2));
    if (given !== "help")
      return {
        flags: given,
        others: parseAgainst(given.against),
        trees: parseTrees(
          given.trees || bundles.map((bundle) => (bundles.length > 1 ? bundle : `weir=${bundle}`)).join(","),
        ),
      };
    console.log(usage());
    process.exit(0);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage()}`);
    process.exit(WRONG_USE);
  }
}

const bundles = (process.env.BENCH_GATEWAY ?? "dist/gateway.js").split(",");
const { flags, others, trees } = readCommandLine();
const phases = flags.phases.split(",");
const DEFAULT_UPSTREAM_PORT = "4100";
/** Between the chunks of a stream. */
const PACE_MS = process.env.BENCH_PACE_MS ?? "20";

const directory = mkdtempSync(join(tmpdir(), "weir-bench-"));
// When this runs as root, PostgreSQL runs under another account that must be able to reach its directory.
chmodSync(directory, 0o711);
process.env.WEIR_SECRET ??= "benchmark-secret-benchmark-secret";

type Prepared = {
  alternatives: Alternative[];
  key: string;
  stop: () => Promise<void>;
};

const local = (name: string, { port, pid }: { port: number; pid: number }): Alternative => ({
  name,
  url: `http://127.0.0.1:${port}/v1/chat/completions`,
  pid,
});

async function startFloor(upstream: string): Promise<Alternative> {
  const floor = await startProgram("floor.ts", { BENCH_UPSTREAM: upstream }, true);
  return { ...local("floor", floor), allocated: () => askProgram<number>(floor.pid, "allocated") };
}

async function startUpstream(): Promise<UpstreamToSet> {
  const fixed = others.length > 0 ? DEFAULT_UPSTREAM_PORT : "0";
  const host = flags["upstream-host"];
  const { port, pid } = await startProgram("upstream.ts", {
    PORT: flags["upstream-port"] || fixed,
    HOST: host,
    BENCH_PACE_MS: PACE_MS,
  });
  const url = `http://${host === "0.0.0.0" ? "127.0.0.1" : host}:${port}`;
  const requests = () => askProgram<number>(pid, "requests");
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
  if (wanted.has("floor")) alternatives.push(await startFloor(upstream.address));
  const nginx = wanted.has("nginx") ? await startNginx(upstream.address, directory) : null;
  if (nginx) alternatives.push(local("nginx", nginx));
  const service = wanted.has("service") ? await startService(upstream.address) : null;
  if (service) alternatives.push(service.alternative);
  if (!wanted.has("weir"))
    return {
      alternatives: [...alternatives, ...others],
      key: "sk-none",
      stop: async () => service?.stop(),
    };
  const postgres = await startEmbeddedPostgres({ directory: join(directory, "postgres") });
  const pidFile = readFileSync(join(directory, "postgres", "data", "postmaster.pid"), "utf8");
  const databasePid = Number(pidFile.split("\n")[0]);
  const started: StartedTree[] = [];
  for (const [index, tree] of trees.entries()) {
    const home = join(directory, `weir-${index}`);
    mkdirSync(home);
    started.push(await startTree(tree, { postgres, databasePid, upstream: upstream.address, directory: home }));
  }
  const [first] = started;
  if (!first) throw new Error("no Weir takes part");
  const beside = wanted.has("log-store") ? await startBesideLogStore(first.databaseUrl) : null;
  alternatives.push(...started.map(({ alternative }) => alternative));
  if (beside) alternatives.push({ ...local("weir, log store", beside.gateway), databasePid, key: first.key });
  return {
    alternatives: [...alternatives, ...others],
    key: first.key,
    async stop() {
      await service?.stop();
      await beside?.stop();
      await postgres.stop();
    },
  };
}

/** All that `npm start` starts here, with its own PostgreSQL and what it does while nobody asks. */
async function startService(upstream: string): Promise<{ alternative: Alternative; stop: () => Promise<void> }> {
  const weir = await startOwnWeir({ env: { PORT: String(await freePort()) } });
  const key = await prepareDatabase(weir.databaseUrl, upstream);
  const databasePid = weir.processes().get("postgresql");
  const url = `${weir.url}/v1/chat/completions`;
  async function stop(): Promise<void> {
    await weir.stop();
    weir.remove();
  }
  return { alternative: { name: "service", url, pid: weir.pid, key, ...(databasePid ? { databasePid } : {}) }, stop };
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
  const gateway = await startGateway(bundle, env, { logFile: join(directory, "log-store.log") });
  async function stop(): Promise<void> {
    const reader = createLogStore(parseLogStoreUrl(store.url));
    const [row] = await reader.query<{ rows: string }>("select count() as rows from usage_logs");
    console.log(`\n${row?.rows} rows of the log are in ClickHouse.`);
    await reader.end();
    await store.stop();
  }
  return { gateway, stop };
}

type NamedPhase = Phase & { name: string };

function answerPhases(): NamedPhase[] {
  const counts = flags.callers.split(",").map(Number);
  const [streams, rate, light] = [Number(flags.streams), Number(flags.rate), Number(flags["light-rate"])];
  const whole = { unit: "answer", callers: Math.max(...counts), isStream: false } as const;
  return [
    ...counts.map((callers) => ({
      ...whole,
      name: "requests",
      title: `Whole answers, ${callers} callers`,
      callers,
    })),
    { ...whole, name: "rate", title: `Whole answers, ${rate} a second`, rate },
    { ...whole, name: "light", title: `Light load, ${light} whole answers a second`, rate: light },
    {
      name: "streams",
      title: `${streams} streams, 200 chunks ${PACE_MS} ms apart`,
      unit: "chunk",
      callers: streams,
      isStream: true,
    },
    {
      name: "briefs",
      title: `Streams of ${BRIEF_CHUNKS} chunks, ${streams} callers`,
      unit: "answer",
      callers: streams,
      isStream: true,
      isBrief: true,
    },
  ];
}

async function measureAll(): Promise<void> {
  if (flags.pin) pinCores();
  const { alternatives, key, stop } = await prepare();
  const seed = flags.seed ? Number(flags.seed) : randomInt(1_000_000);
  const data = join(directory, "postgres", "data");
  const database = existsSync(data) ? data : null;
  console.log(runFacts({ now: new Date(), rows: alternatives.map(({ name }) => name), others, database }));
  const cores = flags.pin ? "What is measured has a core of its own; seed" : "Seed";
  console.log(`\n${cores} ${seed}`);
  const times = { rounds: Number(flags.rounds), seconds: Number(flags.seconds), warm: Number(flags.warm) };
  const random = seededRandom(seed);
  for (const phase of answerPhases()) {
    if (!phases.includes(phase.name)) continue;
    const rows = await runRounds(alternatives, phase, { ...times, key, random });
    console.log(`\n## ${phase.title}\n\n${answersTable(rows, phase.unit)}`);
  }
  if (phases.includes("allocations")) console.log(`\n## Allocations\n\n${await allocationsTable(alternatives, key)}`);
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
  removeCheckouts();
  rmSync(directory, { recursive: true, force: true });
}
