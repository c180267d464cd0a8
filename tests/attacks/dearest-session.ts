import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import type { Json } from "./scripted-upstream";

/** What OpenAI says of its realtime models: developers.openai.com/api/docs/models/gpt-realtime, …/gpt-realtime-2 */
export const WINDOWS: Readonly<Record<string, number>> = { "gpt-realtime": 32_000, "gpt-realtime-2": 128_000 };
const OUTPUT_MAX: Readonly<Record<string, number>> = { "gpt-realtime": 4_096, "gpt-realtime-2": 32_000 };
const HEARD_PER_SECOND = 10;
const PCM_PER_SECOND = 48_000;
const G711_PER_SECOND = 8_000;
const PICTURE = 2_000;
/** A tenth of a second of PCM, as the model speaks it. */
const SPOKEN = Buffer.alloc(4_800, 7).toString("base64");

type Read = { text: number; sound: number; picture: number };
const none = (): Read => ({ text: 0, sound: 0, picture: 0 });
const plus = (one: Read, other: Read): Read => ({
  text: one.text + other.text,
  sound: one.sound + other.sound,
  picture: one.picture + other.picture,
});
const object = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** A session of an upstream that charges for each response as much as its provider's rules allow. */
class DearestSession {
  private readonly socket: WebSocket;
  private readonly model: string;
  private settings: Json = {};
  private readonly items = new Map<string, Read>();
  private heard = 0;
  private isCaching = false;

  constructor(socket: WebSocket, model: string) {
    this.socket = socket;
    this.model = model;
    socket.on("message", (data: Buffer) => this.onEvent(JSON.parse(data.toString("utf8")) as Json));
    socket.on("error", () => {});
    this.send({ type: "session.created", session: { type: "realtime", model } });
  }

  private send(event: Json): void {
    if (this.socket.readyState === this.socket.OPEN)
      this.socket.send(JSON.stringify({ type: event.type, event_id: `event_${randomUUID()}`, ...event }));
  }

  private onEvent(event: Json): void {
    switch (event.type) {
      case "session.update":
        this.settings = { ...this.settings, ...object(event.session) };
        this.send({ type: "session.updated", session: { ...this.settings, model: this.model } });
        break;
      case "conversation.item.create":
        this.add(object(event.item));
        break;
      case "conversation.item.delete":
        this.items.delete(String(event.item_id));
        break;
      case "input_audio_buffer.append":
        this.heard += (String(event.audio).length * 3) / 4 / this.bytesPerSecond();
        if (this.detection()) this.send({ type: "input_audio_buffer.speech_started", audio_start_ms: 0, item_id: "a" });
        break;
      case "input_audio_buffer.commit":
        this.commit();
        break;
      case "response.create":
        this.respond(object(event.response));
        break;
      default:
    }
  }

  private add(item: Json): void {
    const id = typeof item.id === "string" ? item.id : `item_${randomUUID()}`;
    this.items.set(id, this.readOf(item));
    this.send({ type: "conversation.item.added", item: { ...item, id } });
  }

  /** Each turn is transcribed, and the transcription's own prompt is read each time. */
  private commit(): void {
    const item = `item_${randomUUID()}`;
    const seconds = this.heard;
    this.heard = 0;
    this.items.set(item, { ...none(), sound: Math.ceil(seconds * HEARD_PER_SECOND) });
    this.send({ type: "input_audio_buffer.committed", item_id: item, previous_item_id: null });
    const input = object(object(this.settings.audio).input);
    const asked = object(input.transcription ?? this.settings.input_audio_transcription);
    if (typeof asked.model === "string") {
      const sound = Math.ceil(seconds * HEARD_PER_SECOND);
      const text = tokensOf({ ...asked, model: "" });
      const usage = {
        type: "tokens",
        total_tokens: text + sound + Math.ceil(seconds * 5),
        input_tokens: text + sound,
        input_token_details: { text_tokens: text, audio_tokens: sound },
        output_tokens: Math.ceil(seconds * 5),
      };
      const type = "conversation.item.input_audio_transcription.completed";
      this.send({ type, item_id: item, content_index: 0, transcript: "so", usage });
    }
    // With turn detection it answers by itself.
    if (this.detection()) this.respond({});
  }

  private detection(): unknown {
    return object(object(this.settings.audio).input).turn_detection ?? this.settings.turn_detection;
  }

  private bytesPerSecond(): number {
    const format = object(object(object(this.settings.audio).input).format).type ?? this.settings.input_audio_format;
    return /pcm[ua]|g711/.test(String(format)) ? G711_PER_SECOND : PCM_PER_SECOND;
  }

  private readOf(value: unknown): Read {
    const read = none();
    const visit = (inner: unknown, key: string): void => {
      if (typeof inner === "string") {
        if (inner.startsWith("data:image/") || key === "image_url") read.picture += PICTURE;
        else if (key === "audio") {
          const seconds = (inner.length * 3) / 4 / this.bytesPerSecond();
          read.sound += Math.ceil(seconds * HEARD_PER_SECOND);
        } else read.text += Math.ceil(tokensOf(inner));
      } else if (typeof inner === "object" && inner !== null)
        for (const [name, one] of Object.entries(inner)) visit(one, name);
    };
    visit(value, "");
    return read;
  }

  /** What a response reads: the conversation, or what was put together for it, in which an item may be named again and again. */
  private inputOf(asked: Json): Read {
    const settings = this.readOf([
      asked.instructions ?? this.settings.instructions,
      asked.tools ?? this.settings.tools,
    ]);
    if (!Array.isArray(asked.input)) return [...this.items.values()].reduce(plus, settings);
    return list(asked.input)
      .map((item) => {
        const { type, id } = object(item);
        return type === "item_reference" ? (this.items.get(String(id)) ?? none()) : this.readOf(item);
      })
      .reduce(plus, settings);
  }

  private respond(asked: Json): void {
    const id = `resp_${randomUUID()}`;
    const conversation_id = asked.conversation === "none" ? null : "conv_1";
    const base = { object: "realtime.response", id, conversation_id };
    this.send({ type: "response.created", response: { ...base, status: "in_progress", output: [], usage: null } });
    const at = { response_id: id, item_id: "item_a", output_index: 0, content_index: 0 };
    this.send({ type: "response.output_audio.delta", ...at, delta: SPOKEN });
    const usage = this.usageOf(asked);
    const spoken = { ...none(), sound: 2, text: usage.output_tokens - 2 };
    if (conversation_id) this.items.set(`item_${randomUUID()}`, spoken);
    this.send({ type: "response.done", response: { ...base, status: "completed", output: [], usage } });
  }

  /** What is kept at the upstream, and what its own tools bring in, may fill the window; every second response misses the cache. */
  private usageOf(asked: Json) {
    const window = WINDOWS[this.model] ?? 0;
    const brings = [asked.tools, this.settings.tools].some((tools) => JSON.stringify(tools ?? "").includes('"mcp"'));
    const read = this.inputOf(asked);
    const shown = read.text + read.sound + read.picture;
    const isFull = brings || asked.prompt || this.settings.prompt;
    const text = read.text + (isFull ? Math.max(0, window - shown) : 0) + (shown === 0 ? 1 : 0);
    const input = Math.min(window, text + read.sound + read.picture);
    const limit = Number(asked.max_output_tokens ?? this.settings.max_output_tokens ?? "inf");
    const most = Math.min(OUTPUT_MAX[this.model] ?? 0, Number.isFinite(limit) ? limit : Number.POSITIVE_INFINITY);
    const thinks = this.model === "gpt-realtime-2" || asked.reasoning || this.settings.reasoning;
    const output = Math.max(2, thinks ? most : 2);
    this.isCaching = !this.isCaching;
    return {
      total_tokens: input + output,
      input_tokens: input,
      output_tokens: output,
      input_token_details: {
        text_tokens: input - Math.min(input, read.sound) - Math.min(read.picture, Math.max(0, input - read.sound)),
        audio_tokens: Math.min(input, read.sound),
        image_tokens: Math.min(read.picture, Math.max(0, input - read.sound)),
        cached_tokens: this.isCaching ? input : 0,
        ...(this.isCaching
          ? {
              cached_tokens_details: {
                text_tokens: input - Math.min(input, read.sound),
                audio_tokens: Math.min(input, read.sound),
              },
            }
          : {}),
      },
      output_token_details: { text_tokens: output - 2, audio_tokens: 2 },
    };
  }
}

/** Dense text has a token for every two bytes; what is denser is among the written bounds. Characters of four bytes have as many tokens. */
function tokensOf(value: unknown): number {
  if (typeof value === "string") {
    const four = value.match(/[\u{10000}-\u{10ffff}]/gu)?.length ?? 0;
    return Math.floor((Buffer.byteLength(value) + 4 * four) / 2);
  }
  return Object.values(object(value)).reduce((sum: number, inner) => sum + tokensOf(inner), 0);
}

/** OpenAI's Realtime API on loopback, as dear as it can be. */
export async function startDearestSessions() {
  const server = createServer((_request, response) => response.writeHead(426).end());
  const sockets = new WebSocketServer({ server, perMessageDeflate: false, maxPayload: 16 * 1_048_576 });
  sockets.on("connection", (socket, request) => {
    const model = new URL(request.url ?? "", "http://fake").searchParams.get("model") ?? "";
    new DearestSession(socket, model);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const opened of sockets.clients) opened.terminate();
      await new Promise((done) => server.close(done));
    },
  };
}
