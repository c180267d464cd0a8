import { Agent, request as send } from "node:http";

export type LoadSettings = {
  port: number;
  /** Sent as a bearer token. */
  key: string;
  /** Number of parallel clients. */
  callers: number;
  seconds: number;
  isStream: boolean;
  /**
   * Requests per second, evenly spaced regardless of response times, on at most `callers` connections. Undefined: each
   * client sends its next request when the previous one has ended.
   */
  rate?: number | undefined;
  /** What is asked, and where. Undefined: a chat completion. */
  asked?: { path: string; body: object };
};

export type LoadResult = {
  answers: number;
  chunks: number;
  failures: number;
  p50Ms: number;
  p99Ms: number;
  firstByteP50Ms: number;
  firstByteP99Ms: number;
};

type Sample = { totalMs: number; firstByteMs: number; frames: number; ok: boolean };

const prompt = "y".repeat(800);

function body(isStream: boolean): Buffer {
  const messages = [{ role: "user", content: prompt }];
  const streaming = isStream ? { stream: true, stream_options: { include_usage: true } } : {};
  return Buffer.from(JSON.stringify({ model: "bench-model", max_tokens: 300, messages, ...streaming }));
}

function countFrames(part: Buffer): number {
  let count = 0;
  for (let at = part.indexOf("data:"); at !== -1; at = part.indexOf("data:", at + 5)) count += 1;
  return count;
}

function once(settings: LoadSettings, agent: Agent, payload: Buffer): Promise<Sample> {
  return new Promise((resolve) => {
    const start = performance.now();
    let firstByteMs = 0;
    let frames = 0;
    const headers = {
      "content-type": "application/json",
      "content-length": payload.length,
      authorization: `Bearer ${settings.key}`,
    };
    const options = {
      agent,
      host: "127.0.0.1",
      port: settings.port,
      path: settings.asked?.path ?? "/v1/chat/completions",
      method: "POST",
      headers,
    };
    const done = (ok: boolean) => resolve({ totalMs: performance.now() - start, firstByteMs, frames, ok });
    const call = send(options, (response) => {
      response.on("data", (part: Buffer) => {
        firstByteMs ||= performance.now() - start;
        if (settings.isStream) frames += countFrames(part);
      });
      response.on("end", () => done(response.statusCode === 200));
      response.on("error", () => done(false));
    });
    call.on("error", () => done(false));
    call.end(payload);
  });
}

function percentile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
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

/** Runs the load for the given time. Latencies are in milliseconds and cover responses with status 200 only. */
export async function runLoad(settings: LoadSettings): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: settings.callers });
  const { asked } = settings;
  const payload = asked ? Buffer.from(JSON.stringify(asked.body)) : body(settings.isStream);
  const samples: Sample[] = [];
  const until = performance.now() + settings.seconds * 1000;
  const call = async () => void samples.push(await once(settings, agent, payload));
  const caller = async () => {
    while (performance.now() < until) await call();
  };
  if (settings.rate === undefined) await Promise.all(Array.from({ length: settings.callers }, caller));
  else await callEvenly(settings.rate, until, call);
  agent.destroy();
  const good = samples.filter((sample) => sample.ok);
  const totals = good.map((sample) => sample.totalMs).sort((a, b) => a - b);
  const firsts = good.map((sample) => sample.firstByteMs).sort((a, b) => a - b);
  return {
    answers: good.length,
    chunks: good.reduce((sum, sample) => sum + sample.frames, 0),
    failures: samples.length - good.length,
    p50Ms: percentile(totals, 0.5),
    p99Ms: percentile(totals, 0.99),
    firstByteP50Ms: percentile(firsts, 0.5),
    firstByteP99Ms: percentile(firsts, 0.99),
  };
}
