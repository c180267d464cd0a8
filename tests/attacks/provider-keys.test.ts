// A caller provokes an error at an upstream that quotes what it was sent: the Authorization header, the key in base64 or
// as part of a URL, the beginning of it, the credentials of the proxy. No text that leaves the attempt may hold any of
// it: not the caller's error, not the log, not the attempts, not the reason why a channel is off, not a channel test.
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defaultOptions } from "@/lib/option/registry";
import { testChannel } from "@/lib/relay/side/channel-tests/test-channel";
import { readChannel } from "@/lib/snapshot/build";
import { listChannelRows } from "@/lib/snapshot/queries";
import { chatBody, setUpRelay, until } from "../relay/harness";

// With a character that is written otherwise in an address.
const KEY = "sk-proj-Zx81kQmT0vNw/4LbR7yHc2JdF5gAs9eUp";
const relay = setUpRelay({ options: { AutomaticDisableChannelEnabled: true, RetryTimes: 0 } });

/** `rest` is sent when it is there. */
type Echo = (request: IncomingMessage) => { status: number; type?: string; body: string; rest?: Promise<string> };
let echo: Echo;
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on("end", async () => {
      const { status, type = "application/json", body, rest } = echo(request);
      response.writeHead(status, { "content-type": type });
      response.write(body);
      response.end(await rest);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((done) => server.close(done)));
beforeEach(() => relay.reset());

const error = (message: string, more: object = {}): string =>
  JSON.stringify({ error: { message, type: "invalid_request_error", ...more } });
const given = (request: IncomingMessage): string => String(request.headers.authorization);

/** All stored text of the instance that an upstream could have written. */
async function stored(): Promise<string> {
  const { sql } = relay.database;
  const rows = await sql`
    select (select json_agg(u) from usage_logs u) as logs, (select json_agg(c.other_info) from channels c) as reasons,
      (select json_agg(k.reason) from channel_keys k) as keys, (select json_agg(n) from notifications n) as notifications`;
  return JSON.stringify(rows);
}

/** No piece of the key of a length that would help somebody: plain, as in an address, or in base64 from any offset. */
function expectNoKey(text: string): void {
  const words = [...text.matchAll(/[\w+/-]{16,}/g)].flatMap(([word]) => [0, 1, 2, 3].map((at) => word.slice(at)));
  const decoded = words.map((word) => Buffer.from(word, "base64").toString("latin1"));
  const readable = [text, text.replaceAll("%2F", "/"), ...decoded].join("\n");
  for (let at = 0; at + 16 <= KEY.length; at++) expect(readable).not.toContain(KEY.slice(at, at + 16));
}

describe("an upstream that quotes what it was sent", () => {
  const echoes: [string, Echo][] = [
    ["the whole header", (request) => ({ status: 401, body: error(`bad header: ${given(request)}`) })],
    [
      "the key in the type, the code and the parameter",
      (request) => ({
        status: 400,
        body: error("no", { type: given(request), code: KEY, param: KEY }),
      }),
    ],
    [
      "the key in base64",
      () => ({ status: 403, body: error(`basic ${Buffer.from(`api:${KEY}`).toString("base64")}`) }),
    ],
    ["the key as part of an address", () => ({ status: 500, body: error(`GET /?key=${encodeURIComponent(KEY)}`) })],
    ["the first half of the key", () => ({ status: 500, body: error(`key ${KEY.slice(0, 24)}…`) })],
    ["the key across the end of what is shown", () => ({ status: 500, body: error(`${"x".repeat(985)} ${KEY}`) })],
    ["an error of another format", () => ({ status: 502, body: JSON.stringify({ msg: `key ${KEY}` }) })],
    ["an error with status 200", () => ({ status: 200, body: error(`key ${KEY}`) })],
    [
      "an error as the first frame of a stream",
      () => ({
        status: 200,
        type: "text/event-stream",
        body: `data: ${error(`key ${KEY}`)}\n\n`,
      }),
    ],
  ];
  test.each(echoes)("%s: neither the caller nor the log sees it", async (_what, given) => {
    echo = given;
    await relay.addChannel({ key: KEY, baseUrl: url, models: "fake-gpt" });
    await relay.inForce();
    const { user, token } = await relay.addCaller();
    const { status, text } = await relay.post(token.key, chatBody("fake-gpt", { stream: true }));
    expect(status).toBeGreaterThan(399);
    expectNoKey(text);
    await until(async () => (await relay.logsOf(user)).length === 1);
    expectNoKey(await stored());
  });

  const chunk = (delta: object): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
  test.each([
    ["an error in the middle of a stream", `data: ${error(`key ${KEY}`)}\n\n`, "key [redacted]"],
    [
      "an error within a chunk of a stream",
      `${chunk({ content: "ho", error: { message: `key ${KEY}` } })}data: [DONE]\n\n`,
      "[redacted]",
    ],
  ])("%s", async (_what, rest, shown) => {
    let send = () => {};
    const later = new Promise<string>((done) => {
      send = () => done(rest);
    });
    echo = () => ({ status: 200, type: "text/event-stream", body: chunk({ content: "hi" }), rest: later });
    await relay.addChannel({ key: KEY, baseUrl: url, models: "fake-gpt" });
    await relay.inForce();
    const { user, token } = await relay.addCaller();
    const answer = await fetch(`${relay.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${token.key}`, "content-type": "application/json" },
      body: chatBody("fake-gpt", { stream: true }),
    });
    let text = "";
    for await (const part of answer.body ?? []) {
      text += Buffer.from(part).toString("utf8");
      if (text.includes("hi")) send();
    }
    expect(text).toContain(shown);
    expectNoKey(text);
    await until(async () => (await relay.logsOf(user)).length === 1);
    expectNoKey(await stored());
  });

  test("the reason why a channel and a key were switched off", async () => {
    echo = (request) => ({ status: 401, body: error(`Incorrect key: ${given(request)}`, { code: "invalid_api_key" }) });
    const id = await relay.addChannel({ key: KEY, baseUrl: url, models: "fake-gpt" });
    await relay.inForce();
    const { token } = await relay.addCaller();
    await relay.post(token.key, chatBody("fake-gpt"));
    await until(async () => {
      const [row] = await relay.database.sql`select status from channels where id = ${id}`;
      return row?.status === 3;
    });
    expect(await stored()).toContain("[redacted]");
    expectNoKey(await stored());
  });
});

describe("a channel test", () => {
  test("says what the upstream said without the key, and no more than a short message", async () => {
    echo = (request) => ({ status: 401, body: error(`${given(request)} ${"secret page ".repeat(500)}`) });
    await relay.addChannel({ key: KEY, baseUrl: url, models: "fake-gpt" });
    const [row] = await listChannelRows(relay.database.sql);
    if (!row) throw new Error("no channel");
    const outcome = await testChannel(readChannel(row), "fake-gpt", defaultOptions());
    expectNoKey(JSON.stringify(outcome));
    expect(outcome.message).toContain("[redacted]");
    expect(outcome.message.length).toBeLessThanOrEqual(300);
    expect(outcome).not.toHaveProperty("body");
  });
});
