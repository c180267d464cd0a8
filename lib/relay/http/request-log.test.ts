import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { findEndpoint } from "../side/endpoints";
import type { Exchange } from "./exchange";
import { createRequestLog } from "./request-log";

const KEY = "sk-0123456789abcdef";
const request = Object.assign(new IncomingMessage(new Socket()), {
  method: "POST",
  url: `/v1/chat/completions?key=${KEY}`,
  headers: { authorization: `Bearer ${KEY}`, "content-length": "120" },
});
const endpoint = findEndpoint(request);

const owner = { user: { id: 7 }, token: { id: 9 }, pinnedChannel: null };

function exchangeWith(values: Record<string, unknown> = {}): Exchange {
  const response = { headersSent: true, statusCode: 200 };
  const known = { id: "r1", request, response, owner, model: "fake-gpt", tried: [{ id: 3 }], sentBefore: 0 };
  const times = { headMs: 12.34, overheadMs: 1.26, elapsedMs: () => 20, bodyBytes: null };
  const ends = { settled: null, failure: null, hasBroken: false };
  return { ...known, ...times, ...ends, ...values } as unknown as Exchange;
}

function logOf(settings: { level?: number; share?: number; random?: () => number } = {}) {
  const lines: Record<string, unknown>[] = [];
  const { level = 30, share = 1, ...more } = settings;
  const urgent: boolean[] = [];
  const write = (line: string, isUrgent: boolean): void => {
    expect(line.indexOf("\n")).toBe(line.length - 1);
    lines.push(JSON.parse(line));
    urgent.push(isUrgent);
  };
  const note = createRequestLog({ lines: { level, base: ',"pid":1', write }, share, ...more });
  return { lines, urgent, note: (values?: Record<string, unknown>) => note(exchangeWith(values), endpoint) };
}

const error = (status: number) => ({
  failure: { status, error: { message: "no", type: "x", param: null, code: "c" } },
});

test("a line says whose request it was and how it went, and has neither key nor query in it", () => {
  const { lines, note } = logOf();
  note();
  expect(lines).toMatchObject([
    { level: 30, request: "r1", user: 7, key: 9, operation: "chat", model: "fake-gpt", channel: 3, attempts: 1 },
  ]);
  expect(lines[0]).toMatchObject({ status: 200, bytesIn: 120, headMs: 12.3, overheadMs: 1.3, ms: 20 });
  expect(JSON.stringify(lines)).not.toContain(KEY);
  // What is not known is left out, and is not zero.
  expect(lines[0]).not.toHaveProperty("quota");
});

test("a model's name with quotes and line breaks stays in its field and on its line", () => {
  const { lines, note } = logOf();
  const model = 'a","user":1,"b\n\u2028\ud800';
  note({ model });
  expect(lines).toMatchObject([{ user: 7, model }]);
});

test.each([
  ["a request that ended well", {}, 30],
  ["one that needed two channels", { tried: [{ id: 3 }, { id: 4 }] }, 40],
  ["a refusal", error(429), 40],
  ["an error of a server", error(503), 50],
  ["an error that nobody foresaw", { hasBroken: true }, 50],
])("the level is that of the outcome: %s", (_case, values, level) => {
  const { lines, urgent, note } = logOf();
  note(values);
  expect(lines).toMatchObject([{ level }]);
  // Above info it is written at once, because whoever looks for the cause of a crash needs it.
  expect(urgent).toEqual([level > 30]);
});

test("requests with unknown keys, which anybody can send, have no line", () => {
  const { lines, note } = logOf();
  note({ ...error(401), owner: null });
  expect(lines).toEqual([]);
});

test("only the lines of requests that ended well are sampled", () => {
  const { lines, note } = logOf({ share: 0.5, random: () => 0.7 });
  note();
  note(error(429));
  expect(lines).toMatchObject([{ level: 40 }]);
});

test("a flood of refusals becomes no flood of lines", () => {
  const { lines, note } = logOf();
  for (let count = 0; count < 1_000; count++) note(error(429));
  expect(lines.length).toBeLessThan(400);
  expect(lines.length).toBeGreaterThanOrEqual(200);
});

test("above its level a line costs nothing: not a field is read", () => {
  const { lines, note } = logOf({ level: 50 });
  const elapsedMs = () => {
    throw new Error("read");
  };
  note({ elapsedMs });
  expect(lines).toEqual([]);
});
