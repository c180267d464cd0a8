// A caller provokes an error at an upstream that quotes what it was sent: the Authorization header, the key in base64 or
// as part of a URL, the beginning of it, the credentials of the proxy. No text that leaves the attempt may hold any of
// it: not the caller's error, not the log, not the attempts, not the reason why a channel is off, not a channel test.
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { testChannel } from "@/lib/relay/test-channel";
import { readChannel } from "@/lib/snapshot/build";
import { listChannelRows } from "@/lib/snapshot/queries";
import { chatBody, setUpRelay, until } from "../relay/harness";

const KEY = "sk-proj-Zx81kQmT0vNw4LbR7yHc2JdF5gAs9eUp";
const relay = setUpRelay({ options: { AutomaticDisableChannelEnabled: true, RetryTimes: 0 } });

type Echo = (request: IncomingMessage) => { status: number; type?: string; body: string };
let echo: Echo;
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on("end", () => {
      const { status, type = "application/json", body } = echo(request);
      response.writeHead(status, { "content-type": type });
      response.end(body);
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

/** No piece of the key of a length that would help somebody. */
function expectNoKey(text: string): void {
  for (let at = 0; at + 16 <= KEY.length; at++) expect(text).not.toContain(KEY.slice(at, at + 16));
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

  test("an error in the middle of a stream", async () => {
    const chunk = JSON.stringify({ choices: [{ index: 0, delta: { content: "hi" }, finish_reason: null }] });
    const body = `data: ${chunk}\n\ndata: ${error(`key ${KEY}`)}\n\n`;
    echo = () => ({ status: 200, type: "text/event-stream", body });
    await relay.addChannel({ key: KEY, baseUrl: url, models: "fake-gpt" });
    await relay.inForce();
    const { token } = await relay.addCaller();
    const { text } = await relay.post(token.key, chatBody("fake-gpt", { stream: true }));
    expect(text).toContain("[redacted]");
    expectNoKey(text);
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
    const outcome = await testChannel(readChannel(row), "fake-gpt");
    expectNoKey(JSON.stringify(outcome));
    expect(outcome.message).toContain("[redacted]");
    expect(outcome.message.length).toBeLessThanOrEqual(300);
    expect(outcome).not.toHaveProperty("body");
  });
});
