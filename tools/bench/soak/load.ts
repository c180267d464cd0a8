import { Agent, type IncomingMessage, request as send } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { type Ended, isWholeAnswer, type Kind, kindAt } from "./kinds";

export type Settings = {
  url: string;
  key: string;
  /** Requests a second. */
  rate: number;
  /** Whether an upstream was away at some time since then, in ms of `performance.now()`. */
  wasAway: (since: number) => boolean;
};

/** Counts since the start, and what of them was not asked for. */
export class Tally {
  readonly counts = new Map<string, number>();
  readonly failures = new Map<string, { count: number; first: string }>();
  requests = 0;
  failed = 0;
  private times: number[] = [];

  add(name: string, ended: Ended, isFine: boolean, example = ""): void {
    const key = `${name}: ${ended}`;
    this.requests += 1;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    if (isFine) return;
    this.failed += 1;
    const known = this.failures.get(key);
    this.failures.set(key, {
      count: (known?.count ?? 0) + 1,
      first: known?.first ?? `${new Date().toISOString()} ${example}`,
    });
  }

  addTime(ms: number): void {
    this.times.push(ms);
  }

  /** p50 and p99 of whole answers since the last call. */
  takeTimes(): { p50Ms: number; p99Ms: number } {
    const sorted = this.times.sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
    this.times = [];
    return { p50Ms: at(0.5), p99Ms: at(0.99) };
  }
}

type Outcome = { ended: Ended; example: string };

const EXAMPLE_LENGTH = 300;
const TICK_MS = 5;
/** So many at a time means that Weir has stopped to answer. */
const OPEN_MAX = 2_000;
const PATIENCE_MS = 120_000;

/** Sends requests at a set rate until `stop`, which waits for the last answers. */
export function startLoad({ url, key, rate, wasAway }: Settings, tally: Tally): { stop: () => Promise<void> } {
  const agent = new Agent({ keepAlive: true, maxSockets: OPEN_MAX });
  const open = new Set<Promise<void>>();
  let isRunning = true;
  let sent = 0;

  async function callOnce(kind: Kind): Promise<void> {
    const startedAt = performance.now();
    const { ended, example } = await ask({ url, key, agent }, kind);
    const isFine = kind.mayEnd.includes(ended) || (kind.isStream && ended === "cut" && wasAway(startedAt));
    tally.add(kind.name, ended, isFine, example);
    if (kind.name === "whole" && ended === "whole") tally.addTime(performance.now() - startedAt);
  }

  async function run(): Promise<void> {
    const startedAt = performance.now();
    while (isRunning) {
      const due = ((performance.now() - startedAt) * rate) / 1_000;
      for (; sent < due; sent++) {
        const kind = kindAt(sent);
        if (open.size >= OPEN_MAX) {
          tally.add(kind.name, "not sent", false, `${OPEN_MAX} are open`);
          continue;
        }
        const call = callOnce(kind).finally(() => void open.delete(call));
        open.add(call);
      }
      await delay(TICK_MS);
    }
    await Promise.all(open);
    agent.destroy();
  }

  const running = run();
  return {
    stop() {
      isRunning = false;
      return running;
    },
  };
}

type Target = { url: string; key: string; agent: Agent };

function ask({ url, key, agent }: Target, kind: Kind): Promise<Outcome> {
  return new Promise((resolve) => {
    const call = send(`${url}${kind.path}`, {
      agent,
      method: "POST",
      timeout: PATIENCE_MS,
      headers: {
        "content-type": "application/json",
        "content-length": kind.payload.length,
        authorization: `Bearer ${key}`,
      },
    });
    let leaving: NodeJS.Timeout | undefined;
    let hasLeft = false;
    const leave = (): void => {
      hasLeft = true;
      call.destroy();
    };
    // Who leaves without an answer goes while the request is on its way.
    if (kind.leavesAfterMs === 0) call.on("finish", () => setImmediate(leave));
    const over = (outcome: Outcome): void => {
      clearTimeout(leaving);
      resolve(hasLeft ? { ended: "left", example: "" } : outcome);
    };
    call.on("timeout", () => call.destroy(new Error(`nothing for ${PATIENCE_MS / 1_000} s`)));
    call.on("error", (error: NodeJS.ErrnoException) =>
      over({ ended: `error ${error.code ?? error.message}`, example: "" }),
    );
    call.on("response", (answer) => {
      if (kind.leavesAfterMs) leaving = setTimeout(leave, kind.leavesAfterMs);
      readAnswer(answer, kind, over);
    });
    call.end(kind.payload);
  });
}

function readAnswer(answer: IncomingMessage, kind: Kind, over: (outcome: Outcome) => void): void {
  let last = "";
  let bytes = 0;
  answer.on("data", (part: Buffer) => {
    bytes += part.length;
    last = (last + part.toString()).slice(-EXAMPLE_LENGTH);
  });
  answer.on("error", () => over({ ended: kind.isStream ? "cut" : "broken off", example: last }));
  answer.on("end", () => {
    const isWhole = isWholeAnswer(kind, last, bytes);
    if (answer.statusCode !== 200) over({ ended: `status ${answer.statusCode}`, example: last });
    else over({ ended: isWhole ? "whole" : kind.isStream ? "cut" : "a part", example: last });
  });
}
