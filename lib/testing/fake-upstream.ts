import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

export type SeenRequest = {
  method: string;
  path: string;
  authorization: string;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown>;
};

export type FakeUpstream = {
  url: string;
  /** Every request received, in order. */
  requests: SeenRequest[];
  /** Number of responses that the client aborted. */
  aborts: () => number;
  /** Clears everything recorded so far. */
  forget: () => void;
  /** The `seed` of every chat request received, and of every one that was answered completely. */
  seeds: { received: Set<number>; answered: Set<number> };
  close: () => Promise<void>;
};

/** The behaviour of a model. Each number can be set in the model's name: `fake-gpt:chunks=500:pace=2:delay=100`. */
type Script = { kind: string; chunks: number; pace: number; delay: number; status: number; cached: number };
/** The defaults for a model without numbers in its name. */
type Pace = Pick<Script, "chunks" | "pace" | "delay">;

const PROMPT_TOKENS = 12;
const CACHED_TOKENS = 8;
const WORDS = [
  "The",
  " river",
  " runs",
  " through",
  " the",
  " weir",
  ",",
  " evenly",
  " and",
  " without",
  " a",
  " sound",
  ".",
];
const MODELS = ["fake-gpt", "fake-slow", "fake-tools", "fake-429", "fake-error-500", "fake-cut", "fake-hang"];

/**
 * Starts an OpenAI-like upstream on loopback. The model name selects the behaviour: `fake-gpt` answers, `fake-slow` is
 * slow, `fake-tools` calls a tool, `fake-error-<status>` and `fake-429` fail, `fake-cut` closes the connection in the
 * middle, `fake-hang` never answers, `fake-no-usage` reports no usage, `fake-bad-json` returns something else, `fake-cache`
 * has a prompt cache for each key: it reports cached tokens when it has seen a conversation's first message before. A
 * request's `seed` is added to the reported prompt tokens, so that its charge can be told from every other. The keys
 * `bad-key`, `owing-key` and `poor-key` are refused as invalid, as to be paid for and as out of quota.
 */
export async function startFakeUpstream(
  port = 0,
  host = "127.0.0.1",
  usual: Pace = { chunks: WORDS.length, pace: 0, delay: 0 },
): Promise<FakeUpstream> {
  const requests: SeenRequest[] = [];
  const seeds: FakeUpstream["seeds"] = { received: new Set(), answered: new Set() };
  let aborts = 0;
  const server = createServer((request, response) => {
    response.once("close", () => {
      if (!response.writableFinished) aborts += 1;
    });
    serve(request, response, requests, usual, seeds).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((done, fail) => server.once("error", fail).listen(port, host, () => done()));
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    requests,
    aborts: () => aborts,
    forget() {
      requests.length = 0;
      aborts = 0;
    },
    seeds,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  requests: SeenRequest[],
  usual: Pace,
  seeds: FakeUpstream["seeds"],
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString("utf8");
  const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
  const authorization = request.headers.authorization ?? "";
  requests.push({
    method: request.method ?? "",
    path: request.url ?? "",
    authorization,
    headers: request.headers,
    body,
  });
  if (requests.length > 10_000) requests.splice(0, 5_000);
  if (authorization.endsWith("bad-key")) return refuse(response, 401, "Incorrect API key provided", "invalid_api_key");
  if (authorization.endsWith("owing-key")) return refuse(response, 402, "Payment required", "invalid_request_error");
  if (authorization.endsWith("poor-key")) {
    return refuse(response, 429, "You exceeded your current quota", "insufficient_quota");
  }
  if (request.url?.endsWith("/models")) return sendJson(response, 200, { object: "list", data: MODELS.map(modelRow) });
  if (typeof body.seed === "number") {
    const { seed } = body;
    seeds.received.add(seed);
    response.once("finish", () => response.statusCode === 200 && seeds.answered.add(seed));
  }
  const script = readScript(String(body.model ?? ""), usual);
  if (script.kind === "fake-cache" && hasSeen(requests)) script.cached = CACHED_TOKENS;
  await answer(response, body, script);
}

/** Whether the last request's key was used before for a conversation that begins alike. */
function hasSeen(requests: readonly SeenRequest[]): boolean {
  const last = requests.at(-1);
  const opening = (seen: SeenRequest | undefined) =>
    JSON.stringify((seen?.body.messages as unknown[] | undefined)?.[0]);
  return requests
    .slice(0, -1)
    .some((one) => one.authorization === last?.authorization && opening(one) === opening(last));
}

function readScript(model: string, usual: Pace): Script {
  const [kind = "", ...settings] = model.split(":");
  const slow = kind === "fake-slow";
  const script: Script = {
    kind,
    ...(slow ? { chunks: 100, pace: 50, delay: 0 } : usual),
    cached: 0,
    status: Number(/^fake-(?:error-)?(\d{3})$/.exec(kind)?.[1] ?? 200),
  };
  for (const setting of settings) {
    const [name, value] = setting.split("=");
    if (name === "chunks" || name === "pace" || name === "delay") script[name] = Number(value);
  }
  return script;
}

async function answer(response: ServerResponse, body: Record<string, unknown>, script: Script): Promise<void> {
  if (script.delay > 0) await delay(script.delay);
  if (script.status !== 200) return refuse(response, script.status, `fake failure ${script.status}`, null);
  if (script.kind === "fake-hang") return;
  if (script.kind === "fake-bad-json") return void response.end("this is not JSON");
  if (body.stream === true) return await streamAnswer(response, body, script);
  if (script.pace > 0) await delay(script.pace * 10);
  const whole = JSON.stringify({
    id: "chatcmpl-fake",
    object: "chat.completion",
    created: now(),
    model: body.model,
    choices: [choice(body, script)],
    ...(script.kind === "fake-no-usage" ? {} : { usage: usage(body, script) }),
  });
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(whole) });
  if (script.kind !== "fake-cut") return void response.end(whole);
  response.write(whole.slice(0, whole.length / 2));
  await delay(20);
  response.destroy();
}

function choice(body: Record<string, unknown>, script: Script): object {
  if (script.kind !== "fake-tools") {
    return { index: 0, message: { role: "assistant", content: wholeText(script) }, finish_reason: "stop" };
  }
  const call = { id: "call_fake", type: "function", function: { name: toolName(body), arguments: '{"city":"Ulm"}' } };
  return { index: 0, message: { role: "assistant", content: null, tool_calls: [call] }, finish_reason: "tool_calls" };
}

async function streamAnswer(response: ServerResponse, body: Record<string, unknown>, script: Script): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const delta of deltas(body, script)) {
    if (response.destroyed) return;
    const flowing = response.write(frame(body, [{ index: 0, delta, finish_reason: null }]));
    if (script.pace > 0) await delay(script.pace);
    if (!flowing && !response.destroyed) await untilDrained(response);
  }
  if (script.kind === "fake-cut") {
    // Lets the written bytes be sent before the connection is closed.
    await delay(20);
    return void response.destroy();
  }
  const reason = script.kind === "fake-tools" ? "tool_calls" : "stop";
  response.write(frame(body, [{ index: 0, delta: {}, finish_reason: reason }]));
  const options = body.stream_options as { include_usage?: boolean } | undefined;
  if (options?.include_usage && script.kind !== "fake-no-usage") response.write(frame(body, [], usage(body, script)));
  response.end("data: [DONE]\n\n");
}

function* deltas(body: Record<string, unknown>, script: Script): Generator<object> {
  yield { role: "assistant", content: "" };
  if (script.kind === "fake-tools") {
    yield {
      tool_calls: [
        { index: 0, id: "call_fake", type: "function", function: { name: toolName(body), arguments: '{"city":' } },
      ],
    };
    yield { tool_calls: [{ index: 0, function: { arguments: '"Ulm"}' } }] };
    return;
  }
  const count = script.kind === "fake-cut" ? Math.ceil(script.chunks / 2) : script.chunks;
  for (let i = 0; i < count; i++) yield { content: WORDS[i % WORDS.length] };
}

function frame(body: Record<string, unknown>, choices: object[], usageRow?: object): string {
  const chunk = { id: "chatcmpl-fake", object: "chat.completion.chunk", created: now(), model: body.model, choices };
  return `data: ${JSON.stringify(usageRow ? { ...chunk, usage: usageRow } : chunk)}\n\n`;
}

function usage(body: Record<string, unknown>, script: Script): object {
  const prompt = PROMPT_TOKENS + (typeof body.seed === "number" ? body.seed : 0);
  const completion = script.chunks;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: script.cached },
  };
}

function wholeText(script: Script): string {
  return Array.from({ length: script.chunks }, (_, i) => WORDS[i % WORDS.length]).join("");
}

function toolName(body: Record<string, unknown>): string {
  const tools = body.tools as { function?: { name?: string } }[] | undefined;
  return tools?.[0]?.function?.name ?? "lookup";
}

function modelRow(id: string): object {
  return { id, object: "model", created: 1_700_000_000, owned_by: "fake" };
}

function refuse(response: ServerResponse, status: number, message: string, code: string | null): void {
  sendJson(response, status, {
    error: { message, type: code === "insufficient_quota" ? code : "fake_error", param: null, code },
  });
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function untilDrained(response: ServerResponse): Promise<void> {
  return new Promise((done) => {
    const finish = (): void => {
      response.off("drain", finish);
      response.off("close", finish);
      done();
    };
    response.on("drain", finish);
    response.on("close", finish);
  });
}

const now = (): number => Math.floor(Date.now() / 1000);
