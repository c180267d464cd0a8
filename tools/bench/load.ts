import { Agent, type ClientRequest, type RequestOptions, request as send } from "node:http";
import { request as sendTls, Agent as TlsAgent } from "node:https";
import { type LoadResult, type Sample, summarize } from "./load-result";
import { BRIEF_MARK, WHOLE_TEXT } from "./upstream-answers";

export type LoadSettings = {
  /** The whole address of what is asked. */
  url: string;
  /** Sent as a bearer token; none if empty. */
  key: string;
  headers?: Record<string, string> | undefined;
  /** Number of parallel clients. */
  callers: number;
  seconds: number;
  /** The load ends earlier when so many calls were made. */
  calls?: number | undefined;
  isStream: boolean;
  /** Streams of a few chunks. */
  isBrief?: boolean | undefined;
  /**
   * Requests per second, evenly spaced regardless of response times, on at most `callers` connections. Undefined: each
   * client sends its next request when the previous one has ended.
   */
  rate?: number | undefined;
  /** Of the chat completion that is asked for. */
  model?: string | undefined;
  /** What is asked instead of a chat completion. */
  body?: object;
  /** So long after the end of the round an answer may still come. A gateway that is too slow does not stop the bench. */
  graceMs?: number | undefined;
};

const GRACE_MS = 10_000;
const EXAMPLE_LENGTH = 160;

const prompt = "y".repeat(800);

/** The chat completion that every alternative is asked for. */
export function chatRequest(model: string, isStream: boolean, isBrief = false): object {
  const messages = [{ role: "user", content: isBrief ? BRIEF_MARK + prompt : prompt }];
  const streaming = isStream ? { stream: true, stream_options: { include_usage: true } } : {};
  return { model, max_tokens: 300, messages, ...streaming };
}

function countFrames(part: Buffer): number {
  let count = 0;
  for (let at = part.indexOf("data:"); at !== -1; at = part.indexOf("data:", at + 5)) count += 1;
  return count;
}

/** Reads one answer. Cheap, because the load generator shares the machine with what it measures. */
class Reading {
  private readonly settings: LoadSettings;
  readonly start = performance.now();
  private firstByteMs = 0;
  private frames = 0;
  private bytes = 0;
  private last: Buffer[] = [];
  private example = "";

  constructor(settings: LoadSettings) {
    this.settings = settings;
  }

  push(part: Buffer, status: number | undefined): void {
    this.firstByteMs ||= performance.now() - this.start;
    this.bytes += part.length;
    if (this.settings.isStream) {
      this.frames += countFrames(part);
      this.last = [this.last.at(-1) ?? part, part];
    }
    if (status !== 200 && this.example.length < EXAMPLE_LENGTH) this.example += part.toString();
  }

  ended(status: number | undefined): Sample {
    if (status !== 200) return this.sample(`status ${status}`);
    return this.sample(this.isWhole() ? null : "a part of the answer");
  }

  sample(failure: string | null, example = this.example): Sample {
    const { firstByteMs, frames, start } = this;
    return { totalMs: performance.now() - start, firstByteMs, frames, failure, example };
  }

  /** Only chat completions end in a known way. */
  private isWhole(): boolean {
    if (this.settings.body) return true;
    return this.settings.isStream ? Buffer.concat(this.last).includes("[DONE]") : this.bytes >= WHOLE_TEXT.length;
  }
}

class Caller {
  private readonly settings: LoadSettings;
  private readonly agent: Agent;
  private readonly payload: Buffer;
  private readonly options: RequestOptions;
  private readonly send: typeof send;
  private readonly open = new Set<ClientRequest>();

  constructor(settings: LoadSettings) {
    this.settings = settings;
    const { callers: maxSockets, key, headers, isStream, isBrief, url, body, model = "bench-model" } = settings;
    const { protocol, hostname, port, pathname, search } = new URL(url);
    const isTls = protocol === "https:";
    this.agent = isTls ? new TlsAgent({ keepAlive: true, maxSockets }) : new Agent({ keepAlive: true, maxSockets });
    this.send = isTls ? (sendTls as typeof send) : send;
    this.payload = Buffer.from(JSON.stringify(body ?? chatRequest(model, isStream, isBrief)));
    this.options = {
      agent: this.agent,
      host: hostname.replace(/^\[|\]$/g, ""),
      port,
      path: `${pathname}${search}`,
      method: "POST",
      headers: {
        "content-type": "application/json",
        "content-length": this.payload.length,
        ...(key && { authorization: `Bearer ${key}` }),
        ...headers,
      },
    };
  }

  call(): Promise<Sample> {
    return new Promise((resolve) => {
      const reading = new Reading(this.settings);
      const failed = (error: NodeJS.ErrnoException) => resolve(reading.sample(error.code ?? error.message, ""));
      const call = this.send(this.options, (response) => {
        const status = response.statusCode;
        response.on("data", (part: Buffer) => reading.push(part, status));
        response.on("end", () => resolve(reading.ended(status)));
        response.on("error", failed);
      });
      this.open.add(call);
      call.on("error", failed);
      call.on("close", () => this.open.delete(call));
      call.end(this.payload);
    });
  }

  /** Ends what is still open. */
  end(): void {
    for (const call of this.open) call.destroy(new Error("no answer in time"));
    this.agent.destroy();
  }
}

/** Starts calls at an even rate until the time is over; resolves when the last call has ended. */
async function callEvenly(rate: number, until: number, call: () => Promise<void>): Promise<void> {
  const start = performance.now();
  const calls: Promise<void>[] = [];
  for (let now = start; now < until; now = performance.now()) {
    while (calls.length < ((now - start) * rate) / 1000) calls.push(call());
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(calls);
}

/** Runs the load for the given time. Latencies are in milliseconds and cover whole answers with status 200 only. */
export async function runLoad(settings: LoadSettings): Promise<LoadResult> {
  const caller = new Caller(settings);
  const samples: Sample[] = [];
  const until = performance.now() + settings.seconds * 1000;
  const call = async () => void samples.push(await caller.call());
  let left = settings.calls ?? Number.POSITIVE_INFINITY;
  const client = async () => {
    while (performance.now() < until && left-- > 0) await call();
  };
  const tooLate = setTimeout(() => caller.end(), settings.seconds * 1000 + (settings.graceMs ?? GRACE_MS));
  if (settings.rate === undefined) await Promise.all(Array.from({ length: settings.callers }, client));
  else await callEvenly(settings.rate, until, call);
  clearTimeout(tooLate);
  caller.end();
  return summarize(samples);
}
