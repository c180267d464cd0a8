import { rmSync } from "node:fs";
import { Agent, request as send } from "node:http";
import { createTestDatabase } from "@/lib/testing/database";
import { createRunFolder } from "@/lib/testing/run-folder";
import { until } from "@/lib/testing/until";
import { createSeed, type TokenValues, type UserValues } from "../relay/seed";
import type { Costs } from "./budgets";
import { type Counted, type Fault, startCountedGateway } from "./counted-gateway";
import { startPacedUpstream } from "./paced-upstream";

/** What is asked, and how it ends. */
export type Shape = {
  path: string;
  body: object;
  status: number;
  /** Of a stream: its pieces beside its end. */
  chunks?: number;
  key?: string;
  /** Of the nth request. */
  headers?: (nth: number) => Record<string, string>;
};

type SetUp = {
  options?: Record<string, string>;
  user?: UserValues;
  token?: TokenValues;
  env?: Record<string, string>;
  /** How many channels there are to choose from. */
  channels?: number;
  /** How far the gateway's clock goes ahead with each request. */
  stepMs?: number;
};

/** More than the journal and the gathering of log lines wait for others. */
const STEP_MS = 10;
/** After so many requests at that rate flushes wait for more; dear ones, so that the gateway's part of the balance lasts. */
const SETTLING = 25;
const dear = { max_tokens: 16_000 };
/** Two windows that differ by less than this share agree about their bytes. */
const SAME = 0.01;
const WINDOWS_MAX = 6;
/** Refusals that the gateway makes before it knows of a channel. */
const UNLOGGED = new Set([401, 429]);
const models = "counted,refused-400";

/** So many answers, or their flush. */
type Window = { shape: Shape; times: number; isFlush: boolean; fault: Fault };

export type Counting = Awaited<ReturnType<typeof startCounting>>;

/** A gateway that counts, with a database, an upstream and one caller, whose requests follow each other on one connection. */
export async function startCounting(entry: string, setUp: SetUp = {}) {
  const database = await createTestDatabase();
  const upstream = await startPacedUpstream();
  const journal = createRunFolder("journal");
  const seed = createSeed(database, upstream.url);
  await seed.setPrices(models);
  for (const [name, value] of Object.entries(setUp.options ?? {})) await seed.setOption(name, value);
  for (let nth = 0; nth < (setUp.channels ?? 1); nth++) await seed.addChannel({ models });
  const user = await seed.addUser({ balance: 5_000_000_000, ...setUp.user });
  const { key } = await seed.addToken(user, setUp.token);
  const { key: limitedKey } = await seed.addToken(user, { rateLimitCount: 1, rateLimitSeconds: 86_400 });
  const gateway = await startCountedGateway(entry, {
    DATABASE_URL: database.url,
    WEIR_JOURNAL_DIR: journal,
    ...setUp.env,
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let nth = 0;
  /** Rows of the log that there will be. */
  let rows = 0;

  function call({ path, body, status, key: other = key, headers }: Shape): Promise<void> {
    const payload = Buffer.from(JSON.stringify(body));
    return new Promise((resolve, reject) => {
      const asked = send({
        agent,
        host: "127.0.0.1",
        port: gateway.port,
        path,
        method: "POST",
        headers: {
          "content-type": "application/json",
          "content-length": payload.length,
          authorization: `Bearer ${other}`,
          ...headers?.(nth++),
        },
      });
      asked.once("response", (response) => {
        let text = "";
        response.on("data", (part: Buffer) => {
          if (response.statusCode !== status) text += part;
          upstream.sendNext();
        });
        response.once("end", () => {
          if (response.statusCode === status) resolve();
          else reject(new Error(`${path} was answered with ${response.statusCode}: ${text}`));
        });
      });
      asked.once("error", reject);
      asked.end(payload);
    });
  }

  async function ask(shape: Shape, times: number): Promise<void> {
    upstream.setChunks(shape.chunks ?? 0);
    for (let at = 0; at < times; at++) await call(shape);
    if (!UNLOGGED.has(shape.status)) rows += times;
  }

  /** Resolves when all answers are in the log. */
  async function booked(): Promise<void> {
    await gateway.goOn();
    await until(async () => {
      const [row] = await database.sql<{ count: number }[]>`select count(*)::int as count from usage_logs`;
      return row !== undefined && row.count >= rows;
    }, 20_000);
  }

  async function count({ shape, times, isFlush, fault }: Window, isBytes: boolean): Promise<Counted> {
    const before = { ...shape, body: { ...shape.body, ...dear }, chunks: 1 };
    await gateway.standStill(setUp.stepMs ?? STEP_MS);
    await ask(before, isFlush ? times : SETTLING);
    await gateway.begin(isBytes, fault);
    if (isFlush) await booked();
    else await ask(shape, times);
    const counted = await gateway.end();
    await booked();
    const { statements } = await gateway.total();
    return { ...counted, statements };
  }

  /** Now and then V8 puts something of its own on the heap: the least, where another window says nearly the same. */
  async function bytesOf(window: Window): Promise<number> {
    const windows: number[] = [];
    for (;;) {
      const { bytes, collections } = await count(window, true);
      if (collections > 0) throw new Error("the garbage collector ran while bytes were counted");
      windows.push(bytes);
      const [least = 0, next = Number.POSITIVE_INFINITY] = windows.sort((a, b) => a - b);
      if (next - least < least * SAME || windows.length === WINDOWS_MAX) return least;
    }
  }

  async function costOfWindow(window: Window): Promise<Costs> {
    const bytes = await bytesOf(window);
    const { collections: _, places, ...costs } = await count(window, false);
    const share = window.isFlush ? 1 : window.times;
    if (places.length > 0) printPlaces(window.shape, share, places);
    return Object.fromEntries(
      Object.entries({ ...costs, bytes }).map(([name, value]) => [name, value / share]),
    ) as Costs;
  }

  return {
    /** Of a token that may ask once a day. */
    limitedKey,
    ask,
    booked,
    /** What an answer costs. */
    costOf: (shape: Shape, times: number, fault: Fault = "none") =>
      costOfWindow({ shape, times, fault, isFlush: false }),
    /** What it costs to book so many answers, with all that runs by the clock when they are due. */
    costOfFlush: (shape: Shape, times: number) => costOfWindow({ shape, times, fault: "none", isFlush: true }),
    async stop(): Promise<void> {
      agent.destroy();
      await gateway.stop();
      await upstream.close();
      await database.drop();
      rmSync(journal, { recursive: true });
    },
  };
}

function printPlaces({ path, status, chunks = 0 }: Shape, times: number, places: Counted["places"]): void {
  const lines = places
    .sort(([, a], [, b]) => b - a)
    .map(([place, number]) => `${(number / times).toFixed(2)} ${place}`)
    .join("\n");
  console.log(`${path} ${status}, ${chunks} chunks\n${lines}`);
}
