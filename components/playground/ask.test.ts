import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { askPlayground } from "./ask";
import { createEventReader } from "./event-stream";

const closers: (() => void)[] = [];
afterEach(() => {
  vi.unstubAllGlobals();
  for (const close of closers.splice(0)) close();
});

/** Starts a test server with the given handler and redirects the page's requests to it. */
async function serve(answer: (response: ServerResponse) => void): Promise<() => Record<string, unknown>> {
  let seen: Record<string, unknown> = {};
  const server = createServer((request, response) => {
    seen = { path: request.url, headers: request.headers };
    answer(response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  closers.push(() => server.close());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const send = globalThis.fetch;
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => send(new URL(path, base), init));
  return () => seen;
}

async function ask(signal = new AbortController().signal) {
  let text = "";
  const end = await askPlayground({ body: { model: "m" }, userId: 7, signal, onText: (piece) => (text += piece) });
  return { end, text };
}

const stream = (response: ServerResponse, ...frames: string[]) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const frame of frames) response.write(`${frame}\n\n`);
  response.end();
};
const delta = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}`;

test("text is handed on as it comes until [DONE], with the usage, and the caller's id is in the header (B217, B256)", async () => {
  const seen = await serve((response) =>
    stream(
      response,
      delta("a"),
      delta("b"),
      'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}',
      "data: [DONE]",
      delta("never"),
    ),
  );
  expect(await ask()).toEqual({
    text: "ab",
    end: { kind: "complete", usage: { promptTokens: 3, completionTokens: 2, cachedTokens: 0 } },
  });
  expect(seen()).toMatchObject({ path: "/pg/chat/completions", headers: { "new-api-user": "7" } });
});

test("a stream that closes without a word counts as complete", async () => {
  await serve((response) => stream(response, delta("a")));
  expect(await ask()).toEqual({ text: "a", end: { kind: "complete", usage: null } });
});

test("an error in the stream ends it with what was said, by name or by content (B270)", async () => {
  await serve((response) => stream(response, delta("a"), 'data: {"error":{"message":"upstream is gone"}}', delta("b")));
  expect(await ask()).toMatchObject({ text: "a", end: { kind: "error", message: "upstream is gone" } });
  await serve((response) => stream(response, delta("a"), "event: error\ndata: it broke"));
  expect(await ask()).toMatchObject({ text: "a", end: { kind: "error", message: "it broke" } });
});

test("a refusal is an error with its message, in OpenAI's form and in the envelope", async () => {
  const json = (status: number, value: object) => (response: ServerResponse) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(value));
  };
  await serve(json(503, { error: { message: "no channel", code: "no_available_channel" } }));
  expect((await ask()).end).toMatchObject({ kind: "error", message: "no channel", code: "no_available_channel" });
  await serve(json(200, { success: false, message: "not yours" }));
  expect((await ask()).end).toMatchObject({ kind: "error", message: "not yours" });
  await serve((response) => response.writeHead(502).end("bad gateway"));
  expect((await ask()).end).toMatchObject({ kind: "error", message: "bad gateway" });
  await serve(json(200, { choices: [{ message: { content: "whole" } }], usage: { completion_tokens: 1 } }));
  expect(await ask()).toMatchObject({ text: "whole", end: { kind: "complete" } });
});

test("a lost session is told apart (B271)", async () => {
  await serve((response) => response.writeHead(401).end("{}"));
  expect((await ask()).end).toEqual({ kind: "signed-out" });
});

test("events are read however they are cut", () => {
  const text = "event: a\r\ndata: 1\r\ndata: 2\r\n\r\n: comment\n\ndata:x\rid: 3\r\rdata: last\n\n";
  const expected = [
    { event: "a", data: "1\n2" },
    { event: "message", data: "x" },
    { event: "message", data: "last" },
  ];
  for (let size = 1; size <= text.length; size++) {
    const read = createEventReader();
    const events = [];
    for (let at = 0; at < text.length; at += size) events.push(...read(text.slice(at, at + size)));
    expect(events, `in pieces of ${size}`).toEqual(expected);
  }
});
