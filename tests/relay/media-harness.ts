import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { type MediaUpstream, startMediaUpstream } from "@/lib/testing/fake-media";
import { wavHeader } from "@/lib/wav";
import { type Relay, setUpRelay, until } from "./harness";

export type Media = Relay & { media: MediaUpstream };

/** One second of silence in mono, 8,000 samples of 16 bits. */
export function wave(seconds: number): Buffer {
  const bytes = Math.round(seconds * 16_000);
  const head = wavHeader(bytes, { samplesPerSecond: 8_000, bits: 16 });
  return Buffer.concat([head, Buffer.alloc(bytes)]);
}

export function fileOf(bytes: Buffer, name = "a.wav", type = "audio/wav"): File {
  return new File([new Uint8Array(bytes)], name, { type });
}

/** Models of one OpenAI channel. Prices are the built-in ones, unless options say otherwise. */
export function setUpMedia(models: readonly string[], options: Record<string, unknown> = {}) {
  const folder = join(tmpdir(), `weir-media-${process.pid}`);
  const relay = setUpRelay({
    prices: "fake-gpt",
    options: { RetryTimes: "2", ...options },
    channels: [],
    gateway: { uploadFolder: folder },
  }) as Media;
  beforeAll(async () => {
    relay.media = await startMediaUpstream();
    const { openai: type } = CHANNEL_TYPE;
    relay.channelIds.push(await relay.addChannel({ type, baseUrl: relay.media.url, models: models.join(",") }));
    await relay.inForce();
  });
  afterAll(async () => {
    await relay.media.close();
    await rm(folder, { recursive: true, force: true });
  });
  const call = (path: string, key: string, body: FormData | Record<string, unknown>): Promise<Response> =>
    fetch(relay.url + path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        ...(body instanceof FormData ? {} : { "content-type": "application/json" }),
      },
      body: body instanceof FormData ? body : JSON.stringify(body),
    });
  return {
    relay,
    call,
    /** A new caller's request, read whole; null = the answer broke off. */
    async ask(path: string, body: FormData | Record<string, unknown>) {
      const { user, token } = await relay.addCaller();
      const response = await call(path, token.key, body);
      const bytes = await response.arrayBuffer().then(Buffer.from, () => null);
      return { user, status: response.status, type: response.headers.get("content-type"), bytes, text: `${bytes}` };
    },
    async rowOf(user: number) {
      await until(async () => (await relay.logsOf(user)).length > 0, 10_000);
      return (await relay.logsOf(user))[0];
    },
    sent: () => relay.media.seen.at(-1),
  };
}

export function form(fields: Record<string, string | File>): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.append(name, value);
  return made;
}
