import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { readChunksFixture, readJsonFixture } from "./dialect-fixtures";
import { encodeFrames } from "./encode-frames";
import { findFault, messagesRequest } from "./fake-anthropic-schema";

export type VertexRequest = { url: string; body: Record<string, unknown>; status: number };

export type FakeVertex = { url: string; requests: VertexRequest[]; close: () => Promise<void> };

const PLACE = /^\/v1\/projects\/my-project\/locations\/us-east5\//;
const MODEL = /^publishers\/(google|anthropic)\/models\/([^:/]+):(\w+)(\?alt=sse)?$/;
const OPENAPI = "endpoints/openapi/chat/completions";

/**
 * The flags that Vertex AI takes; it refuses a request with another one, in the header and in the body, and
 * `context_management` without its flag. https://github.com/BerriAI/litellm/issues/19984 (the error),
 * https://github.com/BerriAI/litellm/blob/main/litellm/anthropic_beta_headers_config.json (the flags),
 * https://platform.claude.com/docs/en/build-with-claude/context-editing
 */
const BETAS = [
  ...["compact-2026-01-12", "computer-use-2025-01-24", "computer-use-2025-11-24", "context-1m-2025-08-07"],
  ...["context-management-2025-06-27", "interleaved-thinking-2025-05-14", "tool-search-tool-2025-10-19"],
  "web-search-2025-03-05",
];
const beta = z.enum(BETAS as [string, ...string[]]);

const claudeBody = messagesRequest.omit({ model: true, service_tier: true }).extend({
  anthropic_version: z.literal("vertex-2023-10-16"),
  anthropic_beta: z.array(beta).optional(),
  context_management: z.looseObject({}).optional(),
});

/**
 * Starts an upstream on loopback that is as strict as Vertex AI in paths, Claude's bodies and Gemini's calls, for the project my-project
 * in us-east5. `isToken` tells which bearer tokens it takes. What follows the first hyphen of a model's name is the
 * fixture to answer with; 429 is refused, as Google words it.
 */
export async function startFakeVertex(isToken: (token: string) => boolean): Promise<FakeVertex> {
  const requests: VertexRequest[] = [];
  const server = createServer((request, response) => {
    answer(request, response, requests, isToken).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  requests: VertexRequest[],
  isToken: (token: string) => boolean,
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const { url = "", headers } = request;
  const body = JSON.parse(Buffer.concat(parts).toString("utf8")) as VertexRequest["body"];
  const seen = { url, body, status: 200 };
  requests.push(seen);
  const refuse = (status: number, name: string, message: string): void => {
    seen.status = status;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify([{ error: { code: status, message, status: name } }]));
  };
  if (!isToken(headers.authorization?.replace(/^Bearer /, "") ?? "")) {
    return refuse(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.");
  }
  const called = PLACE.test(url) ? readCall(url.replace(PLACE, ""), body) : null;
  if (!called) return refuse(404, "NOT_FOUND", "no such path");
  const { dialect, fixture, isStream } = called;
  if (fixture === "429") return refuse(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted");
  const fault =
    dialect === "anthropic-messages"
      ? (claudeFault(body, new Map([["anthropic-beta", String(headers["anthropic-beta"] ?? "")]])) ??
        ((body.stream === true) === isStream ? null : "stream: does not fit the method"))
      : geminiFault(body);
  if (fault !== null) return refuse(400, "INVALID_ARGUMENT", fault);
  if (!isStream) {
    response.writeHead(200, { "content-type": "application/json" });
    return void response.end(JSON.stringify(readJsonFixture(dialect, `${fixture}.answer`)));
  }
  const { contentType, bytes } = encodeFrames("sse", readChunksFixture(dialect, fixture));
  response.writeHead(200, { "content-type": contentType });
  response.write(bytes);
  if (fixture === "cut") setTimeout(() => response.destroy(), 20);
  else response.end();
}

/** Unlike Google's other API, this one has no ids of calls. */
function geminiFault({ contents }: VertexRequest["body"]): string | null {
  const hasId = /"function(?:Call|Response)":\{"id"/.test(JSON.stringify(contents ?? []));
  return hasId ? 'Invalid JSON payload received. Unknown name "id": Cannot find field.' : null;
}

function readCall(path: string, body: VertexRequest["body"]) {
  const fixtureOf = (name: string): string => name.replace(/^[^-]*-/, "").replace(/@.*$/, "");
  if (path === OPENAPI) {
    return { dialect: "openai-chat", fixture: fixtureOf(String(body.model)), isStream: body.stream === true };
  }
  const [, maker, model = "", verb = ""] = MODEL.exec(path) ?? [];
  if (maker === undefined) return null;
  const verbs = maker === "google" ? ["generateContent", "streamGenerateContent"] : ["rawPredict", "streamRawPredict"];
  const dialect = maker === "google" ? "gemini-generate-content" : "anthropic-messages";
  if (!verbs.includes(verb)) return null;
  return { dialect, fixture: fixtureOf(decodeURIComponent(model)), isStream: verb === verbs[1] };
}

/** What Vertex AI refuses in a request for Claude; null = nothing. */
export function claudeFault(body: VertexRequest["body"], headers: ReadonlyMap<string, string>): string | null {
  const flags = (headers.get("anthropic-beta") ?? "").split(",").filter((flag) => flag !== "");
  const unknown = flags.filter((flag) => !BETAS.includes(flag));
  if (unknown.length > 0) return `Unexpected value(s) ${unknown.join(", ")} for the \`anthropic-beta\` header`;
  const { success, data, error } = claudeBody.safeParse(body);
  if (!success) return error.message;
  const { anthropic_version: _, anthropic_beta: own = [], context_management: management, ...rest } = data;
  if (management && ![...flags, ...own].some((flag) => /^(context-management|compact)-/.test(flag))) {
    return "context_management: Extra inputs are not permitted";
  }
  return findFault({ model: "claude", ...rest }, () => true);
}
