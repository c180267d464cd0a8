import { Agent, type ClientRequest, type IncomingMessage, request as send } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { residentMib } from "./proc";

export type MemorySettings = {
  port: number;
  key: string;
  /** The process whose memory is measured. */
  pid: number;
  /** Its used heap in MiB, as last reported. */
  heapMib: () => number;
  streams: number;
  seconds: number;
};

export type MemorySample = { atSeconds: number; rssMib: number; heapMib: number };

export type MemoryResult = {
  samples: MemorySample[];
  /** Streams read to the end; `left` = streams that the client aborted. */
  whole: number;
  left: number;
  failed: number;
  deliveredMib: number;
};

/** Requests a response of about 8 MiB, more than the kernel's socket buffers hold. */
const payload = Buffer.from(
  JSON.stringify({ model: "bench-bulk", stream: true, max_tokens: 300, messages: [{ role: "user", content: "bulk" }] }),
);
const SAMPLE_MS = 5_000;
const DRIP_MS = 100;
const DRIP_BYTES = 16_384;
const PAUSE_MS = 6_000;
/** How much a pausing client reads before its next pause. */
const GULP_BYTES = 1_048_576;
const LEAVE_AFTER_MS = 8_000;

type Outcome = { ended: "whole" | "left" | "failed"; bytes: number };

/** How a client reads: in small pieces, in large pieces with long pauses, or in large pieces until it disconnects. */
type Manner = "drips" | "gulps" | "leaves";
const manners: Manner[] = ["drips", "gulps", "leaves"];

async function readSlowly(answer: IncomingMessage, call: ClientRequest, manner: Manner): Promise<Outcome> {
  const startedAt = performance.now();
  let bytes = 0;
  let isOver = false;
  let ended: Outcome["ended"] = "failed";
  answer.once("end", () => {
    ended = answer.statusCode === 200 ? "whole" : "failed";
    isOver = true;
  });
  answer.once("close", () => {
    isOver = true;
  });
  answer.on("error", () => {});
  while (!isOver) {
    let wanted = manner === "drips" ? DRIP_BYTES : GULP_BYTES;
    while (wanted > 0) {
      const part = answer.read() as Buffer | null;
      if (part === null) break;
      bytes += part.length;
      wanted -= part.length;
    }
    if (manner === "leaves" && performance.now() - startedAt > LEAVE_AFTER_MS) {
      call.destroy();
      return { ended: "left", bytes };
    }
    // Pause only after a complete gulp; before that, wait briefly for more data.
    await delay(manner === "drips" || wanted > 0 ? DRIP_MS : PAUSE_MS);
  }
  return { ended, bytes };
}

function streamOnce(settings: MemorySettings, agent: Agent, manner: Manner): Promise<Outcome> {
  return new Promise((resolve) => {
    const call = send({
      agent,
      host: "127.0.0.1",
      port: settings.port,
      path: "/v1/chat/completions",
      method: "POST",
      headers: {
        "content-type": "application/json",
        "content-length": payload.length,
        authorization: `Bearer ${settings.key}`,
      },
    });
    call.once("response", (answer) => void readSlowly(answer, call, manner).then(resolve));
    call.once("error", () => resolve({ ended: "failed", bytes: 0 }));
    call.end(payload);
  });
}

/** Keeps slow clients streaming for the given time, one stream after the other per client, and samples the gateway's memory. */
export async function watchMemory(settings: MemorySettings): Promise<MemoryResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: settings.streams });
  const startedAt = performance.now();
  const until = startedAt + settings.seconds * 1_000;
  const result: MemoryResult = { samples: [], whole: 0, left: 0, failed: 0, deliveredMib: 0 };
  const reader = async (_: unknown, index: number): Promise<void> => {
    const manner = manners[index % manners.length] ?? "drips";
    while (performance.now() < until) {
      const { ended, bytes } = await streamOnce(settings, agent, manner);
      // Streams that the end of the run interrupts are not counted.
      if (performance.now() >= until) return;
      result[ended] += 1;
      result.deliveredMib += bytes / 1_048_576;
    }
  };
  const readers = Promise.all(Array.from({ length: settings.streams }, reader));
  while (performance.now() < until) {
    await delay(SAMPLE_MS);
    const atSeconds = (performance.now() - startedAt) / 1_000;
    result.samples.push({ atSeconds, rssMib: residentMib(settings.pid), heapMib: settings.heapMib() });
  }
  agent.destroy();
  await Promise.race([readers, delay(PAUSE_MS * 2)]);
  return result;
}

/** Growth in MiB per minute: the slope of a linear regression. */
export function slopePerMinute(samples: readonly MemorySample[], field: "rssMib" | "heapMib"): number {
  const count = samples.length;
  const meanX = samples.reduce((sum, sample) => sum + sample.atSeconds, 0) / count;
  const meanY = samples.reduce((sum, sample) => sum + sample[field], 0) / count;
  let covariance = 0;
  let variance = 0;
  for (const sample of samples) {
    covariance += (sample.atSeconds - meanX) * (sample[field] - meanY);
    variance += (sample.atSeconds - meanX) ** 2;
  }
  return (covariance / variance) * 60;
}
