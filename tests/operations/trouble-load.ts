import { Agent, type IncomingMessage, request as send } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "@/lib/testing/until";

export const MODELS = "fake-gpt,fake-gpt:chunks=20:pace=10,fake-gpt:chunks=80:pace=50";
/** By the prices of `createSeed`: one unit per prompt token, two per token of the answer. */
const PRICES: Record<string, number> = {
  "fake-gpt": 12 + 2 * 13,
  "fake-gpt:chunks=20:pace=10": 12 + 2 * 20,
  "fake-gpt:chunks=80:pace=50": 12 + 2 * 80,
};
const THINK_MS = 200;
const APART_MS = 1_000;
const NEW_CALLER_MS = 1_000;
const TIMEOUT_MS = 120_000;
const ANSWERS_MS = 120_000;

/** What one caller saw of one request. */
export type Seen = {
  kind: string;
  id: string;
  /** 0 = no answer. */
  status: number;
  /** Of the error; "" = it was answered. */
  code: string;
  retryAfter: number;
  isWhole: boolean;
  price: number;
  ms: number;
  /** When words arrived, on the clock of `performance.now()`. */
  wordsAt: number[];
  /** What is not as it should be; "" = nothing. */
  fault: string;
};

export type Keys = {
  /** Of one account that asks all the time. */
  busy: string;
  /** Of accounts with one request each: the gateway knows the key, but has nothing of the balance. */
  known: string[];
  /** … and not even the key. */
  unknown: string[];
};

export type TroubleLoad = {
  seen: Seen[];
  /** Resolves when so many more were answered of every kind. */
  untilAnswered: (more: number, withinMs?: number) => Promise<void>;
  stop: () => Promise<void>;
};

const STEADY = [
  { kind: "whole answer", callers: 3, model: "fake-gpt", stream: false },
  { kind: "short stream", callers: 3, model: "fake-gpt:chunks=20:pace=10", stream: true },
  { kind: "long stream", callers: 4, model: "fake-gpt:chunks=80:pace=50", stream: true },
] as const;

/** Whole answers and streams of one busy account, and new accounts one after the other, until `stop`. */
export function startTroubleLoad(url: string, keys: Keys): TroubleLoad {
  const agent = new Agent({ keepAlive: true });
  const seen: Seen[] = [];
  let isRunning = true;
  const ask = async (asked: Omit<Ask, "agent" | "url">): Promise<void> => {
    seen.push(await askOnce({ ...asked, agent, url }));
  };
  const steady = STEADY.flatMap(({ callers, ...asked }) =>
    Array.from({ length: callers }, async (_one, at) => {
      // Not in step with each other, so that there is a long stream in its middle at every moment.
      await delay(at * APART_MS);
      while (isRunning) {
        await ask({ ...asked, key: keys.busy });
        await delay(THINK_MS);
      }
    }),
  );
  // These do not wait for each other's answers, as people do not.
  const firsts: Promise<void>[] = [];
  const arrivals = ["known", "unknown"].map(async (name) => {
    const waiting = [...keys[name as "known" | "unknown"]];
    const kind = name === "known" ? "first request" : "unknown key";
    for (let key = waiting.pop(); key && isRunning; key = waiting.pop()) {
      firsts.push(ask({ kind, key, model: "fake-gpt", stream: false }));
      await delay(NEW_CALLER_MS);
    }
  });
  const kinds = [...STEADY.map(({ kind }) => kind), "first request", "unknown key"];
  const answered = (kind: string) => seen.filter((one) => one.kind === kind && one.isWhole).length;
  return {
    seen,
    async untilAnswered(more, withinMs = ANSWERS_MS) {
      const targets = kinds.map((kind) => ({ kind, count: answered(kind) + more }));
      await until(() => targets.every(({ kind, count }) => answered(kind) >= count), withinMs).catch(() => {
        throw new Error(`not ${more} answers of each kind in time:\n${tableOf(seen)}`);
      });
    },
    async stop() {
      isRunning = false;
      await Promise.all([...steady, ...arrivals]);
      await Promise.all(firsts);
      agent.destroy();
    },
  };
}

type Ask = { url: string; agent: Agent; kind: string; key: string; model: string; stream: boolean };

function askOnce({ url, agent, kind, key, model, stream }: Ask): Promise<Seen> {
  const startedAt = performance.now();
  const wordsAt: number[] = [];
  const body = JSON.stringify({ model, stream, max_tokens: 1_000, messages: [{ role: "user", content: "hi" }] });
  return new Promise((done) => {
    let response: IncomingMessage | null = null;
    let text = "";
    const end = (error?: Error): void => {
      const status = response?.statusCode ?? 0;
      const isWhole = status === 200 && (stream ? text.endsWith("data: [DONE]\n\n") : text.includes('"stop"'));
      const code = status === 200 ? "" : (/"code":\s*"([^"]*)"/.exec(text)?.[1] ?? "");
      const retryAfter = Number(response?.headers["retry-after"] ?? 0);
      const isRefused = status === 503 && code !== "" && retryAfter > 0;
      done({
        kind,
        id: String(response?.headers["x-oneapi-request-id"] ?? ""),
        ...{ status, code, retryAfter, isWhole, wordsAt },
        price: PRICES[model] ?? 0,
        ms: performance.now() - startedAt,
        fault: isWhole || isRefused ? "" : `${kind}: ${status} ${error?.message ?? ""} ${text.slice(-300)}`,
      });
    };
    const call = send(
      `${url}/v1/chat/completions`,
      {
        agent,
        method: "POST",
        timeout: TIMEOUT_MS,
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
        },
      },
      (begun) => {
        response = begun;
        begun.setEncoding("utf8").on("data", (part: string) => {
          text += part;
          if (part.includes("data: {")) wordsAt.push(performance.now());
        });
        begun.on("error", end).on("end", () => end());
      },
    );
    call.on("timeout", () => call.destroy(new Error("no answer in time")));
    call.on("error", end);
    call.end(body);
  });
}

/** A line for each kind of request and outcome: how many, and the slowest. */
export function tableOf(seen: readonly Seen[]): string {
  const groups = new Map<string, { count: number; slowest: number }>();
  for (const { kind, status, code, isWhole, ms } of seen) {
    const outcome = isWhole ? "200 whole" : `${status} ${code || "broken"}`;
    const name = `${kind.padEnd(14)} ${outcome.padEnd(24)}`;
    const group = groups.get(name) ?? { count: 0, slowest: 0 };
    groups.set(name, { count: group.count + 1, slowest: Math.max(group.slowest, ms) });
  }
  return [...groups]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(
      ([name, { count, slowest }]) =>
        `${name} ${String(count).padStart(5)}   slowest ${(slowest / 1_000).toFixed(1)} s`,
    )
    .join("\n");
}
