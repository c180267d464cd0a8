import { setTimeout as delay } from "node:timers/promises";
import { createDatabase } from "@/db/client";
import { channels, options } from "@/db/schema";
import { seal } from "@/lib/crypto";
import { freePort, startProgram, stopProgram } from "../alternatives";
import { type OwnWeir, PAGES, readWhole, signIn, startOwnWeir } from "../own-weir";
import { prepareDatabase } from "../weir";
import { readBooks } from "./books";
import { printCurve, printResult } from "./curve";
import { SERVED, STALL_SECONDS } from "./kinds";
import { startLoad, Tally } from "./load";
import { OPEN, type Sample, takeSample } from "./samples";
import { startSlowReaders } from "./slow-readers";
import { type Facts, problemsOf } from "./verdict";

export type SoakSettings = { minutes: number; rate: number; slowReaders: number };

const TENTHS = 10;
const SAMPLES = 240;
const SAMPLE_SECONDS = { least: 2, most: 60 };
const PAGE_MS = 10_000;
const RESTART_EVERY_MS = 180_000;
const RESTART_TAKES_MS = 2_000;
/** Connections that nobody uses are closed within that time. */
const REST_MS = 180_000;
/** Short streams, because their number counts here and not their length. */
const STREAMS = { BENCH_CHUNKS: "60", BENCH_PACE_MS: "20" };
/** The models whose whole answers are counted against the log: nobody else's requests name them. */
const COUNTED = { models: ["soak-whole", "soak-large"], kinds: ["whole", "translated", "1 MB body"] };

/** Runs a whole Weir under mixed load, prints the curve and returns the number of problems. */
export async function reportSoak(settings: SoakSettings): Promise<number> {
  const metricsPort = await freePort();
  const env = { PORT: String(await freePort()), WEIR_METRICS_PORT: String(metricsPort) };
  const weir = await startOwnWeir({ env });
  let problems = ["it did not run to its end"];
  try {
    const { facts, tally } = await soak(weir, `http://127.0.0.1:${metricsPort}/metrics`, settings);
    problems = problemsOf(facts);
    printResult(facts, tally, problems);
    if (problems.length > 0)
      console.log(`\nThe last lines of the processes:\n${weir.lastLines().slice(-20).join("\n")}`);
  } finally {
    await weir.stop();
    if (problems.length === 0) weir.remove();
    else console.log(`\nThe data is in ${weir.directory}`);
  }
  return problems.length;
}

async function soak(weir: OwnWeir, metricsUrl: string, { minutes, rate, slowReaders }: SoakSettings) {
  const tally = new Tally();
  const upstreams = await startUpstreams(tally);
  const key = await prepareSoak(weir.databaseUrl, upstreams.urls);
  const pages = await startPages(weir.url, tally);
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1_000;
  const look = () => takeSample(weir, metricsUrl, seconds());
  const before = await look();
  const target = { url: weir.url, key, rate, wasAway: upstreams.wasAway };
  const readers = startSlowReaders(target, slowReaders, tally);
  const load = startLoad(target, tally);
  const samples: Sample[] = [];
  const { least, most } = SAMPLE_SECONDS;
  const everyMs = Math.min(most, Math.max(least, (minutes * 60) / SAMPLES)) * 1_000;
  const curve = printCurve(minutes);
  for (let tenth = 1; tenth <= TENTHS; tenth++) {
    const until = (minutes * 60 * tenth) / TENTHS;
    while (seconds() < until) {
      await delay(Math.min(everyMs, (until - seconds()) * 1_000 + 1));
      samples.push(await look());
    }
    curve(samples, tally);
  }
  // The upstreams last: what is under way needs them.
  for (const part of [load, readers, pages, upstreams]) await part.stop();
  const after = await untilAtRest(look, before);
  console.log(
    `\nFaults that the upstream sent: ${JSON.stringify(upstreams.met)}; it was restarted ${upstreams.restarts()} times.`,
  );
  await weir.stop();
  const answered = COUNTED.kinds.reduce((sum, kind) => sum + (tally.counts.get(`${kind}: whole`) ?? 0), 0);
  const books = await readBooks({ directory: weir.directory, answered, models: COUNTED.models });
  const facts: Facts = { samples, before, after, failed: tally.failed, books };
  return { facts, tally };
}

/** The last sample, when nothing is open any more and descriptors are as few as before, or that does not happen. */
async function untilAtRest(look: () => Promise<Sample>, before: Sample): Promise<Sample> {
  const until = performance.now() + REST_MS;
  for (;;) {
    const sample = await look();
    const isAtRest = sample.isWhole && OPEN.every((name) => sample.open[name] === 0);
    const isClosed = [...sample.processes].every(
      ([name, { descriptors }]) => descriptors <= (before.processes.get(name)?.descriptors ?? 0),
    );
    if ((isAtRest && isClosed) || performance.now() > until) return sample;
    await delay(SAMPLE_SECONDS.least * 1_000);
  }
}

/** One upstream that fails and is restarted every few minutes, and one that is always there. */
async function startUpstreams(tally: Tally) {
  let faulty = await startProgram("soak-upstream.ts", { PORT: "0", ...STREAMS });
  const { port } = faulty;
  const steady = await startProgram("upstream.ts", STREAMS);
  const met: Record<string, number> = {};
  const stopping = new AbortController();
  let awayUntil = Number.NEGATIVE_INFINITY;
  let count = 0;
  async function endFaulty(): Promise<void> {
    const faults = await stopProgram<Record<string, number>>(faulty.pid, "met");
    for (const [name, times] of Object.entries(faults)) met[name] = (met[name] ?? 0) + times;
  }
  async function restartAgain(): Promise<void> {
    for (;;) {
      await delay(RESTART_EVERY_MS, null, { signal: stopping.signal });
      awayUntil = Number.POSITIVE_INFINITY;
      await endFaulty();
      await delay(RESTART_TAKES_MS);
      faulty = await startProgram("soak-upstream.ts", { PORT: String(port), ...STREAMS });
      awayUntil = performance.now();
      count += 1;
    }
  }
  const restarting = restartAgain().catch((error: Error) => {
    if (error.name !== "AbortError") tally.add("upstream", "not restarted", false, error.message);
  });
  return {
    urls: { faulty: `http://127.0.0.1:${port}`, steady: `http://127.0.0.1:${steady.port}` },
    met,
    restarts: () => count,
    wasAway: (since: number) => awayUntil >= since,
    async stop() {
      stopping.abort();
      await restarting;
      await endFaulty();
    },
  };
}

async function prepareSoak(url: string, urls: { faulty: string; steady: string }): Promise<string> {
  const key = await prepareDatabase(url, null, SERVED);
  const { db, end } = createDatabase({ url, max: 1, applicationName: "weir-bench" });
  const keyCipher = seal("bench");
  await db.insert(channels).values([
    { name: "faulty", keyCipher, baseUrl: urls.faulty, models: SERVED, priority: 10 },
    { name: "steady", keyCipher, baseUrl: urls.steady, models: SERVED, priority: 0 },
  ]);
  const limits = { "soak-stall": { first_byte: STALL_SECONDS, first_byte_whole: STALL_SECONDS } };
  await db.insert(options).values({ key: "UpstreamModelLimits", value: JSON.stringify(limits) });
  await end();
  // The gateways hear of channels and options within a second.
  await delay(2_000);
  return key;
}

/** Opens all pages of the console once, and then one now and then. */
async function startPages(url: string, tally: Tally): Promise<{ stop: () => Promise<void> }> {
  let cookie = await signIn(url);
  const stopping = new AbortController();
  const open = (page = "/") => readWhole(fetch(`${url}${page}`, { headers: { cookie, connection: "close" } }));
  for (const page of PAGES) await open(page);
  async function openAgain(): Promise<void> {
    for (let count = 0; ; count++) {
      await delay(PAGE_MS, null, { signal: stopping.signal });
      const page = PAGES[count % PAGES.length];
      try {
        // Sessions end; a new one now and then is part of the load.
        if (count % 100 === 99) cookie = await signIn(url);
        await open(page);
        tally.add("page", "whole", true);
      } catch (error) {
        tally.add("page", "failed", false, String(error));
      }
    }
  }
  // It ends by the signal alone.
  const opening = openAgain().catch(() => {});
  return {
    async stop() {
      stopping.abort();
      await opening;
    },
  };
}
