import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { WebSocket } from "ws";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { type FakeRealtime, startFakeRealtime } from "@/lib/testing/fake-realtime";
import { type Relay, type RelaySetUp, setUpRelay } from "./harness";
import type { ChannelValues } from "./seed";

export type Event = { type: string; [key: string]: unknown };
export type Sessions = Relay & { fake: FakeRealtime };

/** One quota per text token; sound costs twice as much, and answers twice as much as prompts. */
export const MODEL = "rt-voice";

/** A gateway with channels to a fake Realtime API, and what a caller does with it. `channels`: those besides one for MODEL. */
export function setUpSessions(channels: ChannelValues[] = [], setUp: RelaySetUp = {}): Sessions {
  const models = [...new Set([MODEL, ...channels.flatMap((channel) => (channel.models ?? "").split(","))])];
  const relay = setUpRelay({
    prices: models.join(","),
    channels: [],
    ...setUp,
    options: { AudioRatio: Object.fromEntries(models.map((model) => [model, 20])), ...setUp.options },
  }) as Sessions;
  beforeAll(async () => {
    relay.fake = await startFakeRealtime();
    for (const values of [{ models: MODEL }, ...channels]) {
      const type = CHANNEL_TYPE.openai;
      relay.channelIds.push(await relay.addChannel({ type, baseUrl: relay.fake.url, ...values }));
    }
    await relay.inForce();
  });
  afterEach(() => expect(relay.fake.faults.splice(0)).toEqual([]));
  afterAll(() => relay.fake.close());
  return relay;
}

/** Opens a session as a caller would. Resolves when the handshake is over. */
export async function openSession(url: string, key: string | null, query = `model=${MODEL}`, protocols: string[] = []) {
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/realtime?${query}`, protocols, {
    headers,
    perMessageDeflate: false,
  });
  const frames: Buffer[] = [];
  const events: Event[] = [];
  const closed = new Promise<{ code: number; reason: string }>((done) =>
    socket.on("close", (code, reason) => done({ code, reason: reason.toString("utf8") })),
  );
  socket.on("message", (data: Buffer) => {
    frames.push(data);
    events.push(JSON.parse(data.toString("utf8")) as Event);
  });
  await new Promise<void>((done, failed) => {
    socket.once("open", () => done());
    socket.once("error", failed);
  });
  socket.on("error", () => {});
  return {
    socket,
    frames,
    events,
    closed,
    send: (event: Event) => socket.send(JSON.stringify(event)),
    /** Asks for a response; `metadata` tells the fake what it does. */
    respond: (metadata: Record<string, string> = {}) =>
      socket.send(JSON.stringify({ type: "response.create", response: { metadata } })),
    /** Waits for so many events of a type; returns the last. */
    async next(type: string, count = 1): Promise<Event> {
      const found = () => events.filter((event) => event.type === type);
      await expect.poll(() => found().length, { timeout: 5_000, interval: 5 }).toBeGreaterThanOrEqual(count);
      return found()[count - 1] as Event;
    },
    async close(): Promise<void> {
      socket.close();
      await closed;
    },
  };
}

export const errorOf = (event: Event | undefined) => (event?.error ?? {}) as Record<string, unknown>;
