import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { WebSocket } from "ws";
import { type ClientEvent, readClientEvent } from "./fake-realtime-events";

type Event = Record<string, unknown>;

/** A tenth of a second of PCM at 24 kHz, in base64. */
export const TENTH = Buffer.alloc(4_800, 7).toString("base64");

export const USAGE = {
  total_tokens: 190,
  input_tokens: 150,
  output_tokens: 40,
  input_token_details: {
    text_tokens: 90,
    audio_tokens: 60,
    image_tokens: 0,
    cached_tokens: 64,
    cached_tokens_details: { text_tokens: 44, audio_tokens: 20, image_tokens: 0 },
  },
  output_token_details: { text_tokens: 10, audio_tokens: 30 },
};

/**
 * A session. The metadata of a response says what it does: `deltas` of so many `tenths` of a second each (2 of 1), every `pace` ms (1);
 * `end`: cut, twice, none (no usage), hang; `input` and `output`: the tokens that it reports.
 */
export class FakeRealtimeSession {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
  readonly model: string;
  /** Frames as they came, and as they were sent. */
  readonly received: Buffer[] = [];
  readonly sent: Buffer[] = [];
  /** How the gateway closed it; null = it is open. */
  closedWith: number | null = null;
  private readonly faults: string[];
  private readonly isBeta: boolean;
  private transcribes = "";
  private isCancelled = false;

  constructor(socket: WebSocket, request: IncomingMessage, model: string, faults: string[]) {
    this.socket = socket;
    this.request = request;
    this.model = model;
    this.faults = faults;
    this.isBeta = request.headers["openai-beta"] === "realtime=v1";
    socket.on("message", (data: Buffer) => this.onFrame(data));
    socket.on("close", (code) => {
      this.closedWith = code;
    });
    socket.on("error", () => {});
  }

  send(event: Event): void {
    const { type, ...rest } = event;
    this.sendText(JSON.stringify({ type, event_id: `event_${randomUUID()}`, ...rest }));
  }

  sendText(text: string): void {
    const data = Buffer.from(text);
    this.sent.push(data);
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(data, { binary: false });
  }

  created(): void {
    this.send({ type: "session.created", session: this.settings() });
  }

  private settings(): Event {
    const { model } = this;
    const transcription = this.transcribes === "" ? null : { model: this.transcribes };
    if (this.isBeta) {
      const formats = { input_audio_format: "pcm16", output_audio_format: "pcm16" };
      return { object: "realtime.session", model, ...formats, input_audio_transcription: transcription };
    }
    const format = { type: "audio/pcm", rate: 24_000 };
    const audio = { input: { format, transcription }, output: { format, voice: "alloy" } };
    return { object: "realtime.session", type: "realtime", model, audio };
  }

  private onFrame(data: Buffer): void {
    this.received.push(data);
    const event = readClientEvent(data);
    if (event) return void this.onEvent(event);
    this.faults.push(data.toString("utf8").slice(0, 300));
    const error = { type: "invalid_request_error", code: "invalid_event", message: "not an event", param: null };
    this.send({ type: "error", error });
  }

  private onEvent(event: ClientEvent): void {
    if (event.type === "session.update") this.update(event.session);
    if (event.type === "conversation.item.create") {
      const item = { id: `item_${randomUUID()}`, object: "realtime.item", status: "completed", ...event.item };
      this.send({ type: this.isBeta ? "conversation.item.created" : "conversation.item.added", item });
    }
    if (event.type === "input_audio_buffer.commit") this.commit();
    if (event.type === "response.cancel") this.isCancelled = true;
    if (event.type === "response.create") void this.respond(event.response?.metadata ?? {});
  }

  private update(session: Event): void {
    const input = ((session.audio as Event | undefined)?.input ?? {}) as Event;
    const named = (input.transcription ?? session.input_audio_transcription) as { model?: string } | undefined;
    if (typeof session.model === "string" && session.model !== this.model) {
      this.faults.push(`the model ${session.model}`);
    }
    this.transcribes = named?.model ?? this.transcribes;
    this.send({ type: "session.updated", session: this.settings() });
  }

  private commit(): void {
    const item = `item_${randomUUID()}`;
    this.send({ type: "input_audio_buffer.committed", item_id: item, previous_item_id: null });
    if (this.transcribes === "") return;
    const usage = this.transcribes.startsWith("whisper")
      ? { type: "duration", seconds: 30 }
      : {
          type: "tokens",
          total_tokens: 22,
          input_tokens: 13,
          input_token_details: { text_tokens: 0, audio_tokens: 13 },
          output_tokens: 9,
        };
    const type = "conversation.item.input_audio_transcription.completed";
    this.send({ type, item_id: item, content_index: 0, transcript: "hello", usage });
  }

  private async respond(asked: Record<string, string>): Promise<void> {
    const { deltas = "2", tenths = "1", pace = "1", end = "", input, output } = asked;
    const id = `resp_${randomUUID()}`;
    const base = { object: "realtime.response", id, conversation_id: "conv_1", metadata: asked };
    this.isCancelled = false;
    this.send({ type: "response.created", response: { ...base, status: "in_progress", output: [], usage: null } });
    const type = this.isBeta ? "response.audio.delta" : "response.output_audio.delta";
    for (let at = 0; at < Number(deltas) && !this.isCancelled; at++) {
      const delta = TENTH.repeat(Number(tenths));
      this.send({ type, response_id: id, item_id: "item_a", output_index: 0, content_index: 0, delta });
      if (Number(pace) > 0) await delay(Number(pace));
      if (this.socket.readyState !== this.socket.OPEN) return;
    }
    if (end === "cut") return this.socket.terminate();
    if (end === "hang") return;
    const usage = end === "none" ? null : usageOf(input, output);
    const done = { type: "response.done", response: { ...base, status: "completed", output: [], usage } };
    this.send(done);
    if (end === "twice") this.send(done);
  }
}

function usageOf(input: string | undefined, output: string | undefined) {
  if (input === undefined && output === undefined) return USAGE;
  const [input_tokens, output_tokens] = [Number(input ?? 0), Number(output ?? 0)];
  return {
    total_tokens: input_tokens + output_tokens,
    input_tokens,
    output_tokens,
    input_token_details: { text_tokens: input_tokens, audio_tokens: 0, cached_tokens: 0 },
    output_token_details: { text_tokens: 0, audio_tokens: output_tokens },
  };
}
