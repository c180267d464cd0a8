import { connect } from "node:net";
import OpenAI from "openai";
import { OpenAIRealtimeWebSocket } from "openai/realtime/websocket";
import { OpenAIRealtimeWS } from "openai/realtime/ws";
import type { RealtimeServerEvent } from "openai/resources/realtime/realtime";
import { WebSocket as PlatformWebSocket } from "undici";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { MODEL, setUpSessions } from "../relay/realtime-harness";

const relay = setUpSessions();

/** The clients always speak TLS, which ends before the gateway. */
class WithoutTls extends PlatformWebSocket {
  constructor(url: string | URL, protocols?: string[]) {
    super(String(url).replace(/^wss/, "ws"), protocols);
  }
}

beforeAll(() => void vi.stubGlobal("WebSocket", WithoutTls));
afterAll(() => void vi.unstubAllGlobals());

function openWs(openai: OpenAI): OpenAIRealtimeWS {
  const port = Number(new URL(relay.url).port);
  return new OpenAIRealtimeWS(
    { model: MODEL, options: { createConnection: () => connect(port, "127.0.0.1") } },
    openai,
  );
}

/** With the package ws, and with the WebSocket of the platform, which sends the key as a protocol. */
const clients: readonly [string, (openai: OpenAI) => OpenAIRealtimeWS | OpenAIRealtimeWebSocket][] = [
  ["openai/realtime/ws", openWs],
  ["openai/realtime/websocket", (openai) => new OpenAIRealtimeWebSocket({ model: MODEL }, openai)],
];

test.each(clients)("OpenAI's client, %s: a session from its settings to its charge", async (_name, open) => {
  const { user, token } = await relay.addCaller();
  const openai = new OpenAI({ apiKey: token.key, baseURL: `${relay.url}/v1` });
  const realtime = open(openai);
  const events: RealtimeServerEvent[] = [];
  const errors: unknown[] = [];
  realtime.on("event", (event) => events.push(event));
  realtime.on("error", (error) => errors.push(error));
  const seen = (type: RealtimeServerEvent["type"]) => events.filter((event) => event.type === type).length;
  await expect.poll(() => seen("session.created")).toBe(1);
  realtime.send({ type: "session.update", session: { type: "realtime", instructions: "Be brief." } });
  await expect.poll(() => seen("session.updated")).toBe(1);
  const item = { type: "message" as const, role: "user" as const };
  const content = [{ type: "input_text" as const, text: "Hello" }];
  realtime.send({ type: "conversation.item.create", item: { ...item, content } });
  realtime.send({ type: "response.create" });
  await expect.poll(() => seen("response.done")).toBe(1);
  expect(seen("response.output_audio.delta")).toBe(2);
  realtime.close();
  await expect.poll(async () => (await relay.logsOf(user)).length).toBe(2);
  expect(await relay.logsOf(user)).toMatchObject([
    { prompt: 150, completion: 40, quota: 2_130 },
    { quota: 0, other: { realtime: { ended: "client", charges: 1 } } },
  ]);
  expect(errors).toEqual([]);
});

test("OpenAI's client is told why a session does not begin", async () => {
  const openai = new OpenAI({ apiKey: "sk-wrong", baseURL: `${relay.url}/v1` });
  const realtime = openWs(openai);
  const errors: Error[] = [];
  realtime.on("error", (error) => errors.push(error));
  await expect.poll(() => errors.length).toBeGreaterThan(0);
  expect(errors[0]).toMatchObject({ error: { code: "invalid_api_key" } });
});
