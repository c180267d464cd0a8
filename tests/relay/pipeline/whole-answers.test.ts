import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { setUpRelay, until } from "../harness";

/** What the upstream sends with status 200. `later`: only after the caller has got the headers, and so the first bytes. */
type Reply = { contentType: string; writes: string[]; later?: string[]; breaksOff?: boolean };

const relay = setUpRelay({ prices: "m", options: { RetryTimes: "1", StreamContinuation: "false" } });
const replies: Record<string, Reply> = {};
const asked: string[] = [];
/** Called when the caller has got the first bytes. */
let release: () => void = () => {};
let hasFirstBytes: Promise<void>;
let upstream: Server;
let user: number;
let key: string;

beforeAll(async () => {
  upstream = createServer(async (request, response) => {
    for await (const _ of request);
    const name = (request.url ?? "").split("/")[1] ?? "";
    asked.push(name);
    const reply = replies[name] ?? { contentType: "text/plain", writes: [] };
    response.writeHead(200, { "content-type": reply.contentType });
    if (reply.writes.length > 0) response.write(reply.writes.join(""));
    if (reply.later) {
      await hasFirstBytes;
      for (const text of reply.later) await new Promise((done) => response.write(text, done));
    }
    if (reply.breaksOff) response.destroy();
    else response.end();
  });
  await new Promise<void>((done) => upstream.listen(0, "127.0.0.1", done));
});
afterAll(async () => {
  upstream.closeAllConnections();
  await new Promise((done) => upstream.close(done));
});

beforeEach(async () => {
  asked.length = 0;
  hasFirstBytes = new Promise((done) => {
    release = done;
  });
  await relay.reset();
  const caller = await relay.addCaller({ balance: 1_000_000 });
  user = caller.user;
  key = caller.token.key;
});

const SSE = "text/event-stream";
const data = (json: unknown): string => `data: ${JSON.stringify(json)}\n\n`;
const event = (type: string, rest: object): string => `event: ${type}\n${data({ type, ...rest })}`;
const chunk = (delta: object, reason: string | null = null): string =>
  data({ id: "c", choices: [{ index: 0, delta, finish_reason: reason }] });

const words = {
  openai: {
    type: CHANNEL_TYPE.openai,
    path: "/v1/chat/completions",
    lead: [": waiting\n\n", chunk({ role: "assistant", content: "" })],
    text: (text: string) => chunk({ content: text }),
    end: [
      chunk({}, "stop"),
      data({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } }),
      "data: [DONE]\n\n",
    ],
    terminal: "[DONE]",
    whole: {
      id: "c",
      choices: [{ index: 0, message: { role: "assistant", content: "good" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    },
  },
  anthropic: {
    type: CHANNEL_TYPE.anthropic,
    path: "/v1/messages",
    lead: [
      event("message_start", { message: { id: "m", usage: { input_tokens: 3, output_tokens: 1 } } }),
      event("ping", {}),
      event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    ],
    text: (text: string) => event("content_block_delta", { index: 0, delta: { type: "text_delta", text } }),
    end: [
      event("content_block_stop", { index: 0 }),
      event("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } }),
      event("message_stop", {}),
    ],
    terminal: "message_stop",
    whole: {
      id: "m",
      type: "message",
      content: [{ type: "text", text: "good" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 3, output_tokens: 2 },
    },
  },
};
type Side = keyof typeof words;
const overloaded = event("error", { error: { type: "overloaded_error", message: "no room" } });

/** One channel that answers with `bad`, and one behind it with `good`. */
async function addChannels(side: Side, names: string[]): Promise<number[]> {
  const base = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const ids: number[] = [];
  for (const [at, name] of names.entries()) {
    const { type } = words[side];
    ids.push(await relay.addChannel({ type, baseUrl: `${base}/${name}`, models: "m", priority: 10 - at }));
  }
  await relay.inForce();
  return ids;
}

async function ask(caller: Side, stream: boolean) {
  const answer = await fetch(`${relay.url}${words[caller].path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, "x-api-key": key },
    body: JSON.stringify({ model: "m", max_tokens: 50, stream, messages: [{ role: "user", content: "Say hello" }] }),
  });
  release();
  const text = await answer.text();
  await until(async () => (await relay.logsOf(user)).length === 1, 10_000);
  const [log] = await relay.logsOf(user);
  return { status: answer.status, id: answer.headers.get("x-oneapi-request-id") ?? "", text, log };
}

const sides: [Side, Side][] = [
  ["openai", "openai"],
  ["anthropic", "anthropic"],
  ["openai", "anthropic"],
  ["anthropic", "openai"],
];

describe.each(sides)("a stream to a caller of %s from an upstream of %s", (caller, side) => {
  const { lead, text, end } = words[side];
  const good: Reply = { contentType: SSE, writes: [...lead, text("good"), ...end] };
  const failures: Record<string, Reply> = {
    "an error event after a comment and a start": { contentType: SSE, writes: [...lead, overloaded] },
    "a clean end after a start": { contentType: SSE, writes: lead },
    "an error in JSON that is called a stream": { contentType: SSE, writes: ['{"message":"no room","code":500}'] },
    "HTML that is called a stream": { contentType: SSE, writes: ["<html>Bad Gateway</html>"] },
    "an error late in a body": {
      contentType: "application/json",
      writes: ['{"id":"c","error":{"message":"no room"}}'],
    },
  };

  test.each(Object.entries(failures))(
    "%s: the next candidate takes over unseen, and it alone is charged",
    async (_, bad) => {
      Object.assign(replies, { bad, good });
      const [first, second] = await addChannels(side, ["bad", "good"]);
      const answer = await ask(caller, true);
      expect(asked).toEqual(["bad", "good"]);
      expect(answer.status).toBe(200);
      expect(answer.text).toContain("good");
      expect(answer.text).toContain(words[caller].terminal);
      expect(answer.text).not.toContain("no room");
      expect(answer.log).toMatchObject({ type: 2, channel: second, quota: 7, prompt: 3, completion: 2 });
      expect(answer.log?.other).toMatchObject({ admin_info: { attempts: [{ channel: first }, { channel: second }] } });
    },
  );

  test("without another candidate such a failure is an error of HTTP, and costs nothing", async () => {
    replies.bad = { contentType: SSE, writes: [...lead, overloaded] };
    await addChannels(side, ["bad"]);
    const answer = await ask(caller, true);
    expect(answer.status).toBe(caller === "anthropic" ? 529 : 503);
    expect(answer.text).toContain("no room");
    expect(answer.log).toMatchObject({ type: 5, quota: 0 });
  });

  const begun = [...lead, text("Once upon")];
  const cuts: Record<string, Reply> = {
    "an error event": { contentType: SSE, writes: begun, later: [overloaded] },
    "an error event before the end marker": {
      contentType: SSE,
      writes: begun,
      later: [...end.slice(0, -1), overloaded, end.at(-1) ?? ""],
    },
    "a clean end without an end marker": { contentType: SSE, writes: begun, later: [] },
    "a clean end within a line": { contentType: SSE, writes: begun, later: ['data: {"cho'] },
    "a connection that breaks": { contentType: SSE, writes: begun, later: [], breaksOff: true },
  };

  test.each(Object.entries(cuts))(
    "after content, %s cuts it: an error with the request's id, no end, charged as delivered",
    async (_, bad) => {
      Object.assign(replies, { bad, good });
      const [first] = await addChannels(side, ["bad", "good"]);
      const answer = await ask(caller, true);
      expect(asked).toEqual(["bad"]);
      expect(answer.status).toBe(200);
      expect(answer.text).toContain("Once upon");
      expect(answer.text).not.toContain(words[caller].terminal);
      const last = answer.text.trimEnd().split("\n").at(-1) ?? "";
      const { error, request_id: id } = JSON.parse(last.replace("data: ", ""));
      expect([error.message, id].join(" ")).toContain(answer.id);
      expect(answer.id).not.toBe("");
      expect(answer.log).toMatchObject({ type: 2, channel: first, other: { outcome: "cut" } });
      expect(answer.log?.completion).toBeGreaterThan(0);
      expect(answer.log?.quota).toBe(Number(answer.log?.prompt) + 2 * Number(answer.log?.completion));
    },
  );

  test("a finish reason and a clean end without an end marker are a whole answer", async () => {
    replies.good = { contentType: SSE, writes: [...lead, text("good"), ...end.slice(0, -1)] };
    await addChannels(side, ["good"]);
    const answer = await ask(caller, true);
    expect(answer.text).toContain(words[caller].terminal);
    expect(answer.log).toMatchObject({ type: 2, quota: 7 });
    expect(answer.log?.other).not.toHaveProperty("outcome");
  });

  test("an event that cannot be read is left out, the answer completes, and the log says so", async () => {
    replies.good = {
      contentType: SSE,
      writes: [...lead, text("good"), 'data: {"choices":[{"delta":{"content":"br\n\n', ...end],
    };
    await addChannels(side, ["good"]);
    const answer = await ask(caller, true);
    expect(answer.text).toContain(words[caller].terminal);
    expect(answer.text).not.toContain('"br');
    expect(answer.log).toMatchObject({ type: 2, quota: 7, other: { bad_events: 1 } });
  });
});

describe.each(sides)("a body to a caller of %s from an upstream of %s", (caller, side) => {
  const { whole, lead, text } = words[side];
  const good: Reply = { contentType: "application/json", writes: [JSON.stringify(whole)] };
  const json = (value: unknown): Reply => ({ contentType: "application/json", writes: [JSON.stringify(value)] });
  const failures: Record<string, Reply> = {
    "a code and a message": json({ code: 500, message: "no room" }),
    "an object named error": json({ object: "error", message: "no room" }),
    "an error behind other keys": json({ ...whole, error: { message: "no room" } }),
    "no choices": json({ id: "c", choices: [], content: [], usage: { prompt_tokens: 3, input_tokens: 3 } }),
    "an empty body": { contentType: "application/json", writes: [] },
    HTML: { contentType: "application/json", writes: ["<html>no room</html>"] },
    "a stream that breaks off": { contentType: SSE, writes: [...lead, text("bad")] },
  };

  test.each(Object.entries(failures))(
    "%s is a failure: the next candidate is asked, and it alone is charged",
    async (_, bad) => {
      Object.assign(replies, { bad, good });
      const [, second] = await addChannels(side, ["bad", "good"]);
      const answer = await ask(caller, false);
      expect(asked).toEqual(["bad", "good"]);
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("good")]);
      expect(answer.log).toMatchObject({ type: 2, channel: second, quota: 7 });
    },
  );

  test("without another candidate the caller gets the error's own status, and pays nothing", async () => {
    replies.bad = json({ id: "c", code: 503, message: "no room" });
    await addChannels(side, ["bad"]);
    const answer = await ask(caller, false);
    expect([answer.status, answer.text]).toEqual([503, expect.stringContaining("no room")]);
    expect(answer.log).toMatchObject({ type: 5, quota: 0 });
  });
});
