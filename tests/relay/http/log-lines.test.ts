// Every warning and error about a request has the id that its caller got.
import { afterAll, expect, test, vi } from "vitest";
import { logger } from "@/lib/logger";
import { startTroubledProxy, type TroubledProxy } from "@/lib/testing/troubled-proxy";
import { DATABASE_PATIENCE } from "@/server/database-patience";
import { setUpRelay } from "../harness";

type Line = { request?: string; text: string };
const lines: Line[] = [];
for (const level of ["warn", "error"] as const) {
  const keep = (line: { request?: string }, text: string) => void lines.push({ request: line.request, text } as Line);
  vi.spyOn(logger, level).mockImplementation(keep as typeof logger.warn);
}
/** What goes on beside the requests. */
const OF_NOBODY =
  /about a lease|kept up to date|reloaded|flush|circuits|are not in the log|journal|unknown keys|could not be counted/;

let proxy: TroubledProxy;
const statementMs = 250;
// Before the relay's own hook, which so comes first: it returns leases through the proxy.
afterAll(() => proxy.close());
const relay = setUpRelay({
  channels: [{}],
  through: async (url) => {
    proxy = await startTroubledProxy(url);
    return proxy.url;
  },
  gateway: {
    patience: { ...DATABASE_PATIENCE, statementMs, leaseStatementMs: statementMs, keyStatementMs: statementMs },
  },
});

type Sent = { method?: string; body?: unknown; headers?: Record<string, string> };

async function send(key: string, path: string, { method = "POST", body, headers = {} }: Sent = {}) {
  const answer = await fetch(relay.url + path, {
    method,
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  await answer.text();
  return { status: answer.status, id: answer.headers.get("x-oneapi-request-id") ?? "" };
}

const chat = { model: "fake-gpt", messages: [{ role: "user", content: "hi" }] };

test("what the database's absence does to a request is logged with the request's id", async () => {
  const { token } = await relay.addCaller();
  // The gateway is told of the new key, and forgets it then. What comes after that notice has come, too.
  await relay.setOption("Notice", "told");
  await relay.inForce();
  const known = await send(token.key, "/v1/models", { method: "GET" });
  expect(known.status).toBe(200);
  // Silent rather than gone: what this process knows of keys stays valid.
  proxy.pause();
  const asked = await Promise.all([
    send("sk-unknown", "/v1/chat/completions", { body: chat }),
    send(token.key, "/v1/chat/completions", { body: chat }),
    send(token.key, "/v1/chat/completions", { body: chat, headers: { "idempotency-key": "once" } }),
    send(token.key, "/v1/responses", { body: { model: "fake-gpt", input: "hi", previous_response_id: "resp_1" } }),
    send(token.key, "/v1/responses/resp_1", { method: "GET" }),
    send(token.key, "/suno/fetch/1", { method: "GET" }),
    send(token.key, "/v1/videos/1/content", { method: "GET" }),
  ]);
  proxy.resume();
  expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 503));
  const textsOf = (id: string) => lines.filter(({ request }) => request === id);
  expect(asked.map(({ id }) => textsOf(id).map(({ text }) => text))).toEqual([
    ["a key could not be looked up"],
    ["nothing could be reserved"],
    ["an Idempotency-Key could not be claimed"],
    ["stored objects could not be looked up"],
    ["stored objects could not be looked up"],
    ["tasks could not be looked up"],
    ["tasks could not be looked up"],
  ]);
  expect(lines.filter(({ request, text }) => request === undefined && !OF_NOBODY.test(text))).toEqual([]);
});

test("an upstream that fails, and a channel that is switched off for it, are logged with the request's id", async () => {
  await relay.setOption("AutomaticDisableChannelEnabled", "true");
  await relay.addChannel({ models: "own-model", key: "bad-key" });
  await relay.setOption("ModelRatio", { "own-model": 1, "fake-gpt": 1 });
  await relay.inForce();
  const { token } = await relay.addCaller();
  lines.length = 0;
  const asked = await send(token.key, "/v1/chat/completions", { body: { ...chat, model: "own-model" } });
  expect(asked.status).toBeGreaterThanOrEqual(400);
  const ofChannel = () => lines.filter(({ text }) => text === "channel or key switched off");
  await expect
    .poll(ofChannel, { timeout: 5_000 })
    .toEqual([{ request: asked.id, text: "channel or key switched off" }]);
});
