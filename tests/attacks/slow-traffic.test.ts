import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { channelCircuits } from "@/db/schema";
import { chatBody, setUpRelay, until } from "../relay/harness";

const relay = setUpRelay({ prices: "m,fake-gpt" });

/** An upstream that answers with this status, or well. */
const primary = { url: "", hits: 0, status: 200 };
const clock = { aheadMs: 0 };
let server: Server;
let key: string;
let beside: Awaited<ReturnType<typeof relay.startBeside>>;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    primary.hits += 1;
    const message = { role: "assistant", content: "ok" };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const good = { id: "1", object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }], usage };
    const body = primary.status === 200 ? good : { error: { message: "not now" } };
    response.writeHead(primary.status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  primary.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  beside = await relay.startBeside();
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(async () => {
  await relay.reset();
  Object.assign(primary, { hits: 0, status: 200 });
  key = (await relay.addCaller()).token.key;
  await relay.addChannel({ models: "m", priority: 10, baseUrl: primary.url });
  await relay.addChannel({ models: "m", modelMapping: '{"m":"fake-gpt"}' });
  await relay.inForce();
  clock.aheadMs = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + clock.aheadMs);
});
afterEach(() => vi.restoreAllMocks());

const stored = async () => (await relay.database.db.select().from(channelCircuits))[0];

/** Puts all clocks of the circuits forward, those of the gateways and the database's. */
async function pass(seconds: number): Promise<void> {
  clock.aheadMs += seconds * 1_000;
  await relay.database.sql`
    update channel_circuits set open_until = open_until - ${seconds} * interval '1 s',
      probe_until = probe_until - ${seconds} * interval '1 s'`;
}

async function ask(gateway: { post: typeof relay.post }): Promise<void> {
  expect((await gateway.post(key, chatBody("m"))).status).toBe(200);
}

/** Fails the primary once with 429, and lets both gateways know. */
async function limitOnce(): Promise<void> {
  primary.status = 429;
  await ask(relay);
  await until(async () => (await stored())?.cause === "limit");
  // The other gateway hears of it within milliseconds; until then it asks the primary.
  await until(async () => {
    const before = primary.hits;
    await ask(beside);
    return primary.hits === before;
  }, 10_000);
  Object.assign(primary, { hits: 0, status: 200 });
}

describe("a request every 5 s", () => {
  test("a channel that failed once with 429 gets traffic again: one process alone", async () => {
    await limitOnce();
    for (let i = 0; i < 12; i++) {
      await pass(5);
      await ask(relay);
    }
    // Its rest is 8 to 10 s.
    expect(primary.hits).toBeGreaterThanOrEqual(10);
    await until(async () => (await stored())?.closedAt !== null);
  });

  test("a channel that failed once with 429 gets traffic again: two processes in turn", async () => {
    await limitOnce();
    for (let i = 0; i < 12; i++) {
      await pass(5);
      await ask(i % 2 === 0 ? beside : relay);
      // The other one hears that it was closed.
      if (primary.hits > 0) await until(async () => (await stored())?.closedAt !== null);
    }
    expect(primary.hits).toBeGreaterThanOrEqual(8);
  });

  test("a primary that is down for a minute is asked rarely meanwhile, and again within 20 s after it", async () => {
    primary.status = 503;
    for (let at = 0; at < 60; at += 4) {
      await ask(relay);
      await pass(4);
    }
    expect(primary.hits).toBeLessThan(15);
    Object.assign(primary, { hits: 0, status: 200 });
    let recovered = 60;
    for (; primary.hits === 0 && recovered < 90; recovered += 4) {
      await ask(relay);
      await pass(4);
    }
    expect(recovered).toBeLessThanOrEqual(80);
  });
});
