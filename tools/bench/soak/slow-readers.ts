import { Agent, type ClientRequest, type IncomingMessage, request as send } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Settings, Tally } from "./load";

/** Requests a response of about 8 MiB, more than the kernel's socket buffers hold. */
const payload = Buffer.from(
  JSON.stringify({ model: "bench-bulk", stream: true, max_tokens: 300, messages: [{ role: "user", content: "bulk" }] }),
);
const DRIP_MS = 100;
const DRIP_BYTES = 16_384;
const PAUSE_MS = 6_000;
/** How much a pausing client reads before its next pause. */
const GULP_BYTES = 1_048_576;
const LEAVE_AFTER_MS = 8_000;
const TAIL_BYTES = 100;

type Ended = "whole" | "left" | "cut";

/** How a client reads: in small pieces, in large pieces with long pauses, or in large pieces until it disconnects. */
type Manner = "drips" | "gulps" | "leaves";
const manners: Manner[] = ["drips", "gulps", "leaves"];

async function readSlowly(answer: IncomingMessage, call: ClientRequest, manner: Manner): Promise<Ended> {
  const startedAt = performance.now();
  let last = "";
  let isOver = false;
  let ended: Ended = "cut";
  answer.once("end", () => {
    ended = answer.statusCode === 200 && last.includes("[DONE]") ? "whole" : "cut";
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
      wanted -= part.length;
      last = (last + part.subarray(-TAIL_BYTES).toString()).slice(-TAIL_BYTES);
    }
    if (manner === "leaves" && performance.now() - startedAt > LEAVE_AFTER_MS) {
      call.destroy();
      return "left";
    }
    // Pause only after a complete gulp; before that, wait briefly for more data.
    await delay(manner === "drips" || wanted > 0 ? DRIP_MS : PAUSE_MS);
  }
  return ended;
}

function streamOnce({ url, key }: Settings, agent: Agent, manner: Manner): Promise<Ended> {
  return new Promise((resolve) => {
    const call = send(`${url}/v1/chat/completions`, {
      agent,
      method: "POST",
      headers: {
        "content-type": "application/json",
        "content-length": payload.length,
        authorization: `Bearer ${key}`,
      },
    });
    call.once("response", (answer) => void readSlowly(answer, call, manner).then(resolve));
    call.on("error", () => resolve("cut"));
    call.end(payload);
  });
}

/** Keeps slow readers streaming until `stop`, one stream after the other each. */
export function startSlowReaders(settings: Settings, count: number, tally: Tally): { stop: () => Promise<void> } {
  const agent = new Agent({ keepAlive: true, maxSockets: Math.max(1, count) });
  let isRunning = true;
  const reader = async (_: unknown, index: number): Promise<void> => {
    const manner = manners[index % manners.length] ?? "drips";
    while (isRunning) {
      const startedAt = performance.now();
      const ended = await streamOnce(settings, agent, manner);
      // The end of the run interrupts streams, too.
      if (isRunning) tally.add(`slow reader, ${manner}`, ended, ended !== "cut" || settings.wasAway(startedAt));
    }
  };
  const readers = Promise.all(Array.from({ length: count }, reader));
  return {
    async stop() {
      isRunning = false;
      agent.destroy();
      await readers;
    },
  };
}
