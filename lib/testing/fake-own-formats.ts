import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { upstreamFormats } from "../relay/wire/dialects";
import { readChunksFixture, readJsonFixture } from "./dialect-fixtures";
import { encodeFrames } from "./encode-frames";
import { upstreamSchemas } from "./upstream-schemas";

type Json = Record<string, unknown>;

/** How a provider is reached, and what its errors look like. */
type Provider = {
  format: string;
  path: RegExp;
  models?: { path: string; body: unknown };
  /** The model that a request asks for. */
  modelOf(url: string, body: Json): string;
  error(status: number, message: string): unknown;
  /** The answer without its usage. */
  withoutUsage(json: Json): Json;
};

const cohere: Provider = {
  format: "cohere",
  path: /^\/v2\/chat$/,
  models: { path: "/v1/models", body: { models: [{ name: "command-a-03-2025", endpoints: ["chat"] }] } },
  modelOf: (_url, body) => String(body.model),
  error: (_status, message) => ({ id: "9a3f5c0e-6f0b-4f6b-8a6f-1d6b9d0a7c11", message }),
  withoutUsage: ({ usage: _, ...rest }) => rest,
};

const ollama: Provider = {
  format: "ollama",
  path: /^\/api\/chat$/,
  models: { path: "/api/tags", body: { models: [{ name: "qwen3:8b", model: "qwen3:8b", size: 5_225_388_164 }] } },
  modelOf: (_url, body) => String(body.model),
  error: (_status, message) => ({ error: message }),
  withoutUsage: ({ prompt_eval_count: _, eval_count: __, ...rest }) => rest,
};

const workersAi: Provider = {
  format: "workers-ai",
  path: /^\/client\/v4\/accounts\/acc-1\/ai\/run\/@cf\/.+$/,
  models: {
    path: "/client/v4/accounts/acc-1/ai/models/search",
    body: {
      success: true,
      result: [
        { id: "1", name: "@cf/qwen/qwq-32b", task: { name: "Text Generation" } },
        { id: "2", name: "@cf/baai/bge-m3", task: { name: "Text Embeddings" } },
        { id: "3", name: "@cf/openai/whisper", task: { name: "Automatic Speech Recognition" } },
      ],
    },
  },
  modelOf: (url) => url,
  error: (status, message) => ({
    result: null,
    success: false,
    errors: [{ code: status === 401 ? 10_000 : 5_000, message }],
    messages: [],
  }),
  withoutUsage: ({ result, ...rest }) => ({ ...rest, result: { ...(result as Json), usage: undefined } }),
};

export const providers = { cohere, ollama, "workers-ai": workersAi } as const;
export type ProviderName = keyof typeof providers;

export type OwnFormatUpstream = {
  url: string;
  /** The bodies of the conversations received, in order. */
  bodies: Json[];
  close(): Promise<void>;
};

/**
 * Starts a provider on loopback that takes nothing but its own API: path, bearer key and the body by its strict schema. The
 * model's name says what it answers: `-429` and `-500` fail, `-tools` calls two tools and answers when it has their results, `-thinking`
 * thinks, `-midway` fails in mid-stream, `-cut` breaks off, `-no-usage` reports none. The key `bad-key` is refused.
 */
export async function startOwnFormatUpstream(name: ProviderName): Promise<OwnFormatUpstream> {
  const bodies: Json[] = [];
  const server = createServer((request, response) => void serve(request, response, providers[name], bodies));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

async function serve(request: IncomingMessage, response: ServerResponse, provider: Provider, bodies: Json[]) {
  const { pathname } = new URL(request.url ?? "", "http://upstream");
  const refuse = (status: number, message: string) => sendJson(response, status, provider.error(status, message));
  if (!/^Bearer \S+$/.test(request.headers.authorization ?? "")) return refuse(401, "no bearer token");
  if (request.headers.authorization === "Bearer bad-key") return refuse(401, "invalid api token");
  if (request.method === "GET" && pathname === provider.models?.path) {
    return sendJson(response, 200, provider.models.body);
  }
  if (request.method !== "POST" || !provider.path.test(decodeURIComponent(pathname)))
    return refuse(404, "no such page");
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = JSON.parse(Buffer.concat(parts).toString("utf8")) as Json;
  const fault = upstreamSchemas.get(provider.format)?.safeParse(body).error;
  if (fault) return refuse(400, `invalid request: ${fault.message}`);
  bodies.push(body);
  answer(response, provider, provider.modelOf(pathname, body), body);
}

function answer(response: ServerResponse, provider: Provider, model: string, body: Json): void {
  const failure = Number(/-(4\d\d|5\d\d)$/.exec(model)?.[1] ?? 0);
  if (failure > 0) return void sendJson(response, failure, provider.error(failure, `status ${failure} it is`));
  const fixture = fixtureOf(model, body);
  const wanted = fixture === "error" || fixture === "cut" ? "text" : fixture;
  if (body.stream === true) return void sendStream(response, provider.format, fixture);
  const whole = readJsonFixture(provider.format, `${wanted}.answer`);
  sendJson(response, 200, model.endsWith("-no-usage") ? provider.withoutUsage(whole) : whole);
}

function fixtureOf(model: string, { messages }: Json): string {
  const isAnswered = (messages as { role?: string }[]).at(-1)?.role === "tool";
  if (model.endsWith("-tools") && !isAnswered) return "parallel-tools";
  if (model.endsWith("-thinking")) return "thinking";
  if (model.endsWith("-midway")) return "error";
  return model.endsWith("-cut") ? "cut" : "text";
}

function sendStream(response: ServerResponse, format: string, fixture: string): void {
  const { framing = "sse" } = upstreamFormats.get(format) ?? {};
  const begun = encodeFrames(framing, readChunksFixture(format, "cut"));
  const { contentType, bytes } = encodeFrames(framing, readChunksFixture(format, fixture));
  response.writeHead(200, { "content-type": contentType });
  if (fixture === "text" || fixture === "thinking" || fixture === "parallel-tools") return void response.end(bytes);
  response.write(begun.bytes);
  // Later, so that the text before it has been passed on.
  setTimeout(() => (fixture === "cut" ? response.destroy() : response.end(bytes)), 20);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
