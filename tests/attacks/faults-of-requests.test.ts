// Who: a caller whose request every upstream refuses: it names a file that is not there, an MCP server that wants other
// credentials, or a text that a provider or the firewall before it does not like.
// What must hold: what a request is refused for switches off no channel, opens no circuit and lets no key rest. What one
// request shows of accounts counts against one channel at most.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { defaultOptions } from "@/lib/option/registry";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { type AttemptFailure, classifyFailure } from "@/lib/relay/base/classify-failure";
import { readUpstreamError, reportedStatus } from "@/lib/relay/base/upstream-error";
import { rows } from "@/lib/relay/providers/rows";
import { circuitCause } from "@/lib/relay/routing/circuits/circuit-cause";
import { disableChannel } from "@/lib/relay/routing/disable-channel";
import { chatBody, setUpRelay, until } from "../relay/harness";
import { CASES, type Case, type Class, google, openai } from "./refusal-cases";

function classify(type: Case[0], given: number, body: unknown) {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const status = given === 200 ? reportedStatus(bytes) : given;
  const error = readUpstreamError(status, bytes).read((text) => text);
  const failure: AttemptFailure = { kind: "status", status, error, retryAfterMs: null };
  const quirks = rows.get(CHANNEL_TYPE[type])?.quirks ?? {};
  const verdict = classifyFailure(failure, {
    quirks,
    statusCodeMapping: new Map(),
    mayDisable: true,
    disableKeywords: defaultOptions().AutomaticDisableKeywords,
  });
  const found: Class = verdict.disableReason === null ? (verdict.fault ?? "other") : "dead";
  return { found, verdict, circuit: circuitCause(failure, status, quirks) };
}

describe("what a refusal is about", () => {
  test.each(CASES)("%s, status %i: %s", (type, status, wanted, body) => {
    const { found, verdict, circuit } = classify(type, status, body);
    expect(found).toBe(wanted);
    // 401 says that the caller's key is wrong; only the MCP server that a request names was asked with the caller's own.
    if (!JSON.stringify(body).includes("MCP server")) expect(verdict.reply.status).not.toBe(401);
    if (wanted === "dead" || wanted === "other") return;
    expect({ rest: verdict.keyRestMs, again: verdict.again, circuit }).toEqual({
      rest: null,
      again: "never",
      circuit: null,
    });
  });
});

const FILE = google(403, "PERMISSION_DENIED", "You do not have permission to access the File abc or it may not exist.");
const NO_KEY = openai("no", { code: "invalid_api_key" });

describe("requests that every channel refuses", () => {
  const relay = setUpRelay({
    prices: "gemini-2.5-flash,fake-gpt,refused-gpt",
    options: { AutomaticDisableChannelEnabled: true, RetryTimes: 5, CircuitFailures: 1 },
  });
  let refuses: (text: string) => { status: number; body: object } | null;
  const answer = (response: ServerResponse, text: string): void => {
    const refusal = refuses(text);
    response.writeHead(refusal?.status ?? 200, { "content-type": "application/json" });
    const parts = [{ text: "The weir." }];
    const candidates = [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }];
    const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 };
    response.end(JSON.stringify(refusal?.body ?? { candidates, usageMetadata }));
  };
  const upstream = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += String(part);
    answer(response, text);
  });
  let baseUrl: string;

  beforeAll(async () => {
    await new Promise<void>((done) => upstream.listen(0, "127.0.0.1", () => done()));
    baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  });
  afterAll(() => void upstream.close());
  beforeEach(() => relay.reset());

  const states = () => relay.database.sql<{ status: number }[]>`select status from channels order by id`;
  const circuits = () => relay.database.sql`select channel_id from channel_circuits`;
  const firstId = async () =>
    (await relay.database.sql<{ id: number }[]>`select min(id) as id from channels`)[0]?.id ?? 0;
  const offCount = async () => (await states()).filter(({ status }) => status !== 1).length;

  test("a file that no account has leaves every Gemini channel on, and its circuit closed (B156)", async () => {
    refuses = (text) => (text.includes("inlineData") ? { status: 403, body: FILE } : null);
    const models = "gemini-2.5-flash";
    for (let at = 0; at < 3; at++) await relay.addChannel({ type: CHANNEL_TYPE.gemini, baseUrl, models });
    await relay.inForce();
    const { user, token } = await relay.addCaller();
    const ask = (parts: object[]) =>
      fetch(`${relay.url}/v1beta/models/${models}:generateContent`, {
        method: "POST",
        headers: { "x-goog-api-key": token.key, "content-type": "application/json" },
        body: JSON.stringify({ contents: [{ role: "user", parts }] }),
      });
    const refused = await ask([{ inlineData: { mimeType: "image/png", data: "AAAA" } }, { text: "What is this?" }]);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect((await ask([{ text: "Say hello" }])).status).toBe(200);
    await until(async () => (await relay.logsOf(user)).length === 2);
    expect(await states()).toEqual([{ status: 1 }, { status: 1 }, { status: 1 }]);
    expect(await circuits()).toHaveLength(0);
    const [log] = await relay.logsOf(user);
    expect(log?.other).toMatchObject({ admin_info: { attempts: [1, 2, 3].map(() => ({ outcome: "request" })) } });
  });

  test("one request that all accounts refuse switches off one channel, and opens one circuit", async () => {
    refuses = () => ({ status: 401, body: NO_KEY });
    for (let at = 0; at < 3; at++) await relay.addChannel({ baseUrl, models: "refused-gpt" });
    await relay.addChannel({ models: "fake-gpt" });
    await relay.inForce();
    const { user, token } = await relay.addCaller();
    await relay.post(token.key, chatBody("refused-gpt"));
    await until(async () => (await offCount()) > 0);
    // What was begun for the first request is over by then.
    expect((await relay.post(token.key, chatBody("fake-gpt"))).status).toBe(200);
    await until(async () => (await relay.logsOf(user)).length === 2);
    expect(await offCount()).toBe(1);
    expect((await circuits()).length).toBeLessThanOrEqual(1);
    await relay.inForce();
    await relay.post(token.key, chatBody("refused-gpt"));
    await until(async () => (await offCount()) === 2);
  });

  /** Asks a gateway of its own until it has nothing left to do. */
  async function askBeside(key: string, times: number): Promise<void> {
    const beside = await relay.startBeside();
    for (let at = 0; at < times; at++) {
      await Promise.all([1, 2, 3].map(() => beside.post(key, chatBody("refused-gpt"))));
      await relay.inForce();
    }
    await beside.gateway.stop();
  }

  test("however many requests are refused, and by whom, half of a model's channels stay on, and answer when they can", async () => {
    refuses = () => ({ status: 401, body: NO_KEY });
    for (let at = 0; at < 5; at++) await relay.addChannel({ baseUrl, models: "refused-gpt" });
    await relay.inForce();
    const { token } = await relay.addCaller();
    await until(async () => {
      await Promise.all([1, 2, 3].map(() => relay.post(token.key, chatBody("refused-gpt"))));
      await relay.inForce();
      return (await offCount()) > 2;
    }, 10_000);
    await Promise.all([askBeside(token.key, 2), askBeside(token.key, 2)]);
    expect(await offCount()).toBe(3);
    const choices = [{ index: 0, message: { role: "assistant", content: "The weir." }, finish_reason: "stop" }];
    refuses = () => ({ status: 200, body: { object: "chat.completion", choices } });
    expect((await relay.post(token.key, chatBody("refused-gpt"))).status).toBe(200);
  });

  test("no model and no group loses all its channels because those of others that they have, too, stay on", async () => {
    refuses = () => ({ status: 401, body: NO_KEY });
    const two = { models: "refused-gpt , other-gpt,", group: "default,vip" };
    await relay.addChannel({ baseUrl, models: "refused-gpt" });
    await relay.addChannel({ baseUrl, ...two });
    for (let at = 0; at < 2; at++) await relay.addChannel({ models: "other-gpt", autoBan: 0 });
    for (let at = 0; at < 2; at++) await relay.addChannel({ models: "refused-gpt", group: "vip", autoBan: 0 });
    await relay.inForce();
    const { token } = await relay.addCaller();
    await askBeside(token.key, 3);
    const found = (await states()).map(({ status }) => status);
    expect(found.slice(0, 2).sort()).toEqual([1, 3]);
    expect(found.slice(2)).toEqual([1, 1, 1, 1]);
  });

  test("many refusals of a channel at once are decided on once", async () => {
    const id = await relay.addChannel({ baseUrl, models: "refused-gpt" });
    const begun = vi.spyOn(relay.database.sql, "begin");
    for (let at = 0; at < 20; at++) disableChannel(relay.database.sql, { id }, null, { reason: "no", request: "r" });
    await until(async () => (await states()).every(({ status }) => status === 3));
    expect(begun).toHaveBeenCalledTimes(1);
    begun.mockRestore();
  });

  test("the last channel of a priority stays on as well; an hour later it may go, and so may one that is alone", async () => {
    refuses = () => ({ status: 401, body: NO_KEY });
    for (let at = 0; at < 2; at++) await relay.addChannel({ baseUrl, models: "refused-gpt", priority: 9 });
    for (let at = 0; at < 3; at++) await relay.addChannel({ models: "other-gpt,refused-gpt", autoBan: 0 });
    const alone = await relay.addChannel({ baseUrl, models: "fake-gpt" });
    await relay.inForce();
    const { token } = await relay.addCaller();
    await askBeside(token.key, 4);
    expect((await states()).map(({ status }) => status).sort()).toEqual([1, 1, 1, 1, 1, 3]);
    await relay.database.sql`
      update channels set other_info = other_info || jsonb_build_object('status_time', (other_info -> 'status_time')::int - 3600)
      where status = 3`;
    // The rest of its circuit is over as well.
    await relay.database.sql`delete from channel_circuits`;
    await relay.inForce();
    await askBeside(token.key, 1);
    expect((await states()).map(({ status }) => status)).toEqual([3, 3, 1, 1, 1, 1]);
    await relay.post(token.key, chatBody("fake-gpt"));
    await until(async () => (await states())[alone - (await firstId())]?.status === 3);
  });
});
