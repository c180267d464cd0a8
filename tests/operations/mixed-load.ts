import { Agent, type IncomingMessage, request as send } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { MODEL, openSession } from "@/tests/relay/realtime-harness";
import { until } from "@/tests/runtime/weir-process";

/** What a caller did that was not answered as it should be. */
export type Fault = { kind: string; what: string };
export type MixedLoad = {
  /** Request ids of conversations that were answered whole. */
  conversations: string[];
  counts: Record<string, number>;
  faults: Fault[];
  stop: () => Promise<void>;
};

const THINK_MS = 200;
const PATIENCE_MS = 90_000;

type Answer = { status: number; text: string; id: string };
type Ask = { path: string; body?: string; headers?: Record<string, string>; agent: Agent };

/** Whole answers, short and long streams, large bodies, realtime sessions and pages, each again and again until `stop`. */
export function startMixedLoad(url: string, key: string): MixedLoad {
  const agent = new Agent({ keepAlive: true });
  const load = { conversations: [] as string[], counts: {} as Record<string, number>, faults: [] as Fault[] };
  let isRunning = true;
  const chat = async (model: string, stream: boolean, content = "hi"): Promise<string> => {
    const body = JSON.stringify({ model, stream, max_tokens: 1_000, messages: [{ role: "user", content }] });
    const answer = await ask(url, {
      path: "/v1/chat/completions",
      body,
      headers: { authorization: `Bearer ${key}` },
      agent,
    });
    const isWhole = stream ? answer.text.endsWith("data: [DONE]\n\n") : answer.text.includes('"finish_reason":"stop"');
    if (answer.status === 200 && isWhole) load.conversations.push(answer.id);
    return answer.status === 200 && isWhole ? "" : `${answer.status} ${answer.text.slice(-300)}`;
  };
  const page = async (path: string): Promise<string> => {
    const { status, text } = await ask(url, { path, agent });
    return status === 200 ? "" : `${path}: ${status} ${text.slice(0, 200)}`;
  };
  const kinds: Record<string, { callers: number; run: () => Promise<string> }> = {
    whole: { callers: 3, run: () => chat("fake-gpt", false) },
    stream: { callers: 3, run: () => chat("fake-gpt:chunks=20:pace=10", true) },
    "long stream": { callers: 4, run: () => chat("fake-gpt:chunks=80:pace=50", true) },
    "large body": { callers: 1, run: () => chat("fake-gpt", false, "x".repeat(300_000)) },
    session: { callers: 2, run: () => session(url, key) },
    page: { callers: 1, run: () => page("/login") },
    api: { callers: 1, run: () => page("/api/status") },
  };
  const callers = Object.entries(kinds).flatMap(([kind, { callers: count, run }]) =>
    Array.from({ length: count }, async () => {
      while (isRunning) {
        const what = await run().catch((error: Error) => `${error.name}: ${error.message}`);
        if (what) load.faults.push({ kind, what });
        else load.counts[kind] = (load.counts[kind] ?? 0) + 1;
        // Leaves room for processes that start.
        await delay(THINK_MS);
      }
    }),
  );
  return {
    ...load,
    async stop() {
      isRunning = false;
      await Promise.all(callers);
      agent.destroy();
    },
  };
}

function ask(url: string, { path, body, headers = {}, agent }: Ask): Promise<Answer> {
  return new Promise((done, fail) => {
    const length = body ? { "content-type": "application/json", "content-length": Buffer.byteLength(body) } : {};
    const call = send(
      `${url}${path}`,
      { agent, method: body ? "POST" : "GET", headers: { ...headers, ...length }, timeout: PATIENCE_MS },
      (response: IncomingMessage) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        response.on("error", fail);
        response.on("end", () =>
          done({ status: response.statusCode ?? 0, text, id: String(response.headers["x-oneapi-request-id"]) }),
        );
      },
    );
    call.on("timeout", () => call.destroy(new Error("no answer in time")));
    call.on("error", fail);
    call.end(body);
  });
}

/** Two responses in one session, which is then closed by the caller. */
async function session(url: string, key: string): Promise<string> {
  const one = await openSession(url, key, `model=${MODEL}`);
  const isThere = (type: string, count: number) => () =>
    one.socket.readyState !== one.socket.OPEN || one.events.filter((event) => event.type === type).length >= count;
  await until("a session begins", isThere("session.created", 1), PATIENCE_MS);
  for (let turn = 1; turn <= 2; turn++) {
    if (one.socket.readyState === one.socket.OPEN) one.respond({ deltas: "20", pace: "20" });
    await until("a response ends", isThere("response.done", turn), PATIENCE_MS);
  }
  const isWhole = one.events.filter(({ type }) => type === "response.done").length === 2;
  await one.close();
  return isWhole ? "" : `closed with ${(await one.closed).code}: ${(await one.closed).reason}`;
}
