import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { freePort, startProgram, stopAll } from "./alternatives";
import { runLoad } from "./load";
import { type OwnWeir, PAGES, readWhole, signIn, startOwnWeir } from "./own-weir";
import { memoryOf } from "./proc";
import { prepareDatabase } from "./weir";

// Memory of all processes that `npm start` starts with one gateway, without PostgreSQL: when nothing has happened yet,
// after a minute of light traffic, and under many callers. See tools/bench/README.md.

const { values: flags } = parseArgs({
  options: {
    node: { type: "string", multiple: true, default: [process.execPath] },
    checkout: { type: "string", multiple: true, default: ["."] },
    "idle-seconds": { type: "string", default: "20" },
    "traffic-seconds": { type: "string", default: "60" },
    callers: { type: "string", default: "256" },
    "callers-seconds": { type: "string", default: "20" },
  },
});

type Memory = ReturnType<typeof memoryOf>;
type Sample = Map<string, Memory>;
type Run = { node: string; checkout: string; started: Sample; used: Sample; loaded: Sample };

const SAMPLE_MS = 1_000;

function sample(weir: OwnWeir): Sample {
  const ofWeir = [...weir.processes()].filter(([name]) => name !== "postgresql");
  return new Map(ofWeir.map(([name, pid]) => [name, memoryOf(pid)]));
}

const sumOf = (found: Sample, field: keyof Memory) => [...found.values()].reduce((sum, one) => sum + one[field], 0);

/** Four whole answers and a stream of 2 s each second, and a page of the console. */
async function callLightly(url: string, key: string): Promise<void> {
  const cookie = await signIn(url);
  const running: Promise<void>[] = [];
  const ask = (stream: boolean) =>
    fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "bench-model",
        stream,
        messages: [{ role: "user", content: "hello ".repeat(100) }],
      }),
    });
  for (let second = 0; second < Number(flags["traffic-seconds"]); second++) {
    for (let index = 0; index < 5; index++) running.push(readWhole(ask(index === 0)));
    running.push(readWhole(fetch(`${url}${PAGES[second % PAGES.length]}`, { headers: { cookie } })));
    await delay(1_000);
  }
  await Promise.all(running);
}

/** The sample of most memory while so many callers ask without pause. */
async function sampleUnderCallers(weir: OwnWeir, key: string): Promise<Sample> {
  const [callers, seconds] = [Number(flags.callers), Number(flags["callers-seconds"])];
  const address = `${weir.url}/v1/chat/completions`;
  let isOver = false;
  const load = runLoad({ url: address, key, callers, seconds, isStream: false }).finally(() => {
    isOver = true;
  });
  let most = sample(weir);
  while (!isOver) {
    await delay(SAMPLE_MS);
    const now = sample(weir);
    if (sumOf(now, "sharedOutMib") > sumOf(most, "sharedOutMib")) most = now;
  }
  const { failures, answers } = await load;
  if (failures > 0) console.error(`${failures} calls failed beside ${answers} answers`);
  return most;
}

async function measure(node: string, checkout: string, upstreamUrl: string): Promise<Omit<Run, "node" | "checkout">> {
  const env = { PORT: String(await freePort()), WEIR_GATEWAY_WORKERS: "1", WEIR_REQUEST_LOG: "0" };
  const weir = await startOwnWeir({ node, checkout, env });
  try {
    const look = async () => {
      await delay(Number(flags["idle-seconds"]) * 1_000);
      return sample(weir);
    };
    const started = await look();
    const key = await prepareDatabase(weir.databaseUrl, upstreamUrl);
    // The gateway hears of the channel within a second.
    await delay(2_000);
    await callLightly(weir.url, key);
    const used = await look();
    return { started, used, loaded: await sampleUnderCallers(weir, key) };
  } finally {
    await weir.stop();
    weir.remove();
  }
}

function row({ node, checkout, started, used, loaded }: Run): string {
  const cells = [started, used, loaded].flatMap((found) => {
    const parts = ["supervisor", "gateway", "console", "worker"].map((name) =>
      found.get(name)?.sharedOutMib.toFixed(0),
    );
    return [sumOf(found, "residentMib").toFixed(0), `${sumOf(found, "sharedOutMib").toFixed(0)} (${parts.join(", ")})`];
  });
  return `| ${node} | ${checkout} | ${cells.join(" | ")} |`;
}

/** "24=/opt/node24/bin/node", or a path alone. */
function named(text: string): { name: string; path: string } {
  const [, name, path] = /^([\w.-]+)=(.+)$/.exec(text) ?? [];
  return { name: name ?? text, path: resolve(path ?? text) };
}

process.env.WEIR_SECRET ??= "benchmark-secret-benchmark-secret";
try {
  const upstream = await startProgram("upstream.ts", {});
  console.log("MiB without PostgreSQL; in brackets supervisor, gateway, console, worker\n");
  const states = ["idle", "after traffic", `${flags.callers} callers`];
  const heads = states.map((state) => `${state}: resident | shared pages divided`);
  console.log(`| Node.js | | ${heads.join(" | ")} |\n|${"---|".repeat(2 + 2 * states.length)}`);
  for (const node of flags.node.map(named)) {
    for (const checkout of flags.checkout.map(named)) {
      const run = await measure(node.path, checkout.path, `http://127.0.0.1:${upstream.port}`);
      console.log(row({ node: node.name, checkout: checkout.name, ...run }));
    }
  }
} finally {
  await stopAll();
}
