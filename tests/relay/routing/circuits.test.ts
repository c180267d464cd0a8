import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { channelCircuits } from "@/db/schema";
import { chatBody, setUpRelay, until } from "../harness";

const relay = setUpRelay({
  prices: "m,fake-gpt,fake-error-400,fake-cut",
  options: { RetryTimes: "2", StreamContinuation: "false" },
});
const BURST = 47;

/** An upstream that counts what reaches it and answers as it is told; "hold" = not before `release`. */
const primary = { url: "", hits: 0, mode: "fail" as "fail" | "serve" | "hold", held: [] as ServerResponse[] };
let server: Server;
let key: string;
let beside: Awaited<ReturnType<typeof relay.startBeside>>;

function serve(response: ServerResponse): void {
  const message = { role: "assistant", content: "ok" };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const body = { id: "1", object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }], usage };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    primary.hits += 1;
    if (primary.mode === "hold") primary.held.push(response);
    else if (primary.mode === "serve") serve(response);
    else response.writeHead(500).end('{"error":{"message":"down"}}');
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
  Object.assign(primary, { hits: 0, mode: "fail", held: [] });
  key = (await relay.addCaller()).token.key;
});

const stored = () => relay.database.db.select().from(channelCircuits);
const mapTo = (model: string): string => JSON.stringify({ m: model });

/** The primary and a healthy second of lower priority. */
async function addPair(): Promise<number> {
  const id = await relay.addChannel({ models: "m", priority: 10, baseUrl: primary.url });
  await relay.addChannel({ models: "m", modelMapping: mapTo("fake-gpt") });
  await relay.inForce();
  return id;
}

async function post(times = 1): Promise<void> {
  for (let i = 0; i < times; i++) expect((await relay.post(key, chatBody("m"))).status).toBe(200);
}

async function endRest(): Promise<void> {
  await relay.database.sql`update channel_circuits set open_until = clock_timestamp()`;
  await relay.database.sql`select pg_notify('weir', 'circuits:' || channel_id) from channel_circuits`;
}

/** It hears of an open circuit within milliseconds; until then it asks the primary. */
async function untilBesideKnows(): Promise<void> {
  await until(async () => {
    const before = primary.hits;
    await beside.post(key, chatBody("m"));
    return primary.hits === before;
  }, 10_000);
}

describe("circuits on live traffic", () => {
  test("after three failures no caller waits for the primary, whatever gateway he comes to", async () => {
    const id = await addPair();
    await post(3);
    expect(primary.hits).toBe(3);
    await until(async () => (await stored()).length === 1);
    expect(await stored()).toMatchObject([{ channelId: id, model: "m", cause: "overload", closedAt: null }]);
    await post(5);
    await untilBesideKnows();
    const before = primary.hits;
    for (let i = 0; i < 5; i++) expect((await beside.post(key, chatBody("m"))).status).toBe(200);
    expect(primary.hits).toBe(before);
  });

  test("a burst after the rest sends one probe through two gateways, and its success brings the channel back", async () => {
    await addPair();
    await post(3);
    await until(async () => (await stored()).length === 1, 10_000);
    await untilBesideKnows();
    primary.hits = 0;
    primary.mode = "hold";
    await endRest();
    let answered = 0;
    const all: Promise<void>[] = [];
    const send = (gateway: { post: typeof relay.post }): void => {
      const one = gateway.post(key, chatBody("m")).then(({ status }) => {
        expect(status).toBe(200);
        answered += 1;
      });
      // Looked at below; where the test fails before, nobody waits for it.
      one.catch(() => {});
      all.push(one);
    };
    const burst = (): void => {
      for (let i = 0; i < BURST; i++) send(i % 2 === 0 ? relay : beside);
    };
    burst();
    // They may come before a gateway has heard that the rest is over.
    await until(() => {
      if (primary.hits === 0) for (const gateway of [relay, beside]) send(gateway);
      return primary.hits > 0 && answered >= BURST - 1;
    }, 10_000);
    burst();
    await until(() => answered >= all.length - 1, 10_000);
    expect(primary.hits).toBe(1);
    primary.mode = "serve";
    for (const response of primary.held) serve(response);
    await Promise.all(all);
    await until(async () => (await stored())[0]?.closedAt !== null, 10_000);
    // Both gateways use the primary again.
    for (const gateway of [relay, beside]) {
      await until(async () => {
        const seen = primary.hits;
        await gateway.post(key, chatBody("m"));
        return primary.hits > seen;
      }, 10_000);
    }
  });

  test("errors about the request never open it", async () => {
    await relay.addChannel({ models: "fake-error-400" });
    await relay.inForce();
    for (let i = 0; i < 5; i++) await relay.post(key, chatBody("fake-error-400"));
    await relay.addChannel({ models: "m", baseUrl: primary.url });
    await relay.inForce();
    // The only channel is asked twice for each request.
    for (let i = 0; i < 2; i++) await relay.post(key, chatBody("m"));
    await until(async () => (await stored()).length > 0);
    expect(await stored()).toMatchObject([{ model: "m" }]);
  });

  test("answers that are cut count; a refused key opens it at once; the only channel is used all the same", async () => {
    const cut = await relay.addChannel({ models: "m", priority: 10, modelMapping: mapTo("fake-cut") });
    await relay.addChannel({ models: "m", modelMapping: mapTo("fake-gpt") });
    const refused = await relay.addChannel({ models: "fake-gpt", key: "bad-key" });
    await relay.inForce();
    const stream = async () => (await relay.post(key, chatBody("m", { stream: true }))).text;
    for (let i = 0; i < 3; i++) expect(await stream()).not.toContain("[DONE]");
    expect(await stream()).toContain("[DONE]");
    for (let i = 0; i < 2; i++) expect((await relay.post(key, chatBody("fake-gpt"))).status).toBe(502);
    await until(async () => (await stored()).length === 2);
    expect(new Set((await stored()).map(({ channelId, model, cause }) => `${channelId} ${model} ${cause}`))).toEqual(
      new Set([`${cut} fake-cut cut`, `${refused} fake-gpt key`]),
    );
  });
});
