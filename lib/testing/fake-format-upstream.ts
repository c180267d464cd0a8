import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readChunksFixture, readJsonFixture } from "./dialect-fixtures";
import { encodeFrames } from "./encode-frames";
import { upstreamSchemas } from "./upstream-schemas";

type Json = Record<string, unknown>;
type Reply = { status: number; body: unknown };

const BEFORE_FAILURE_MS = 50;

/** A request as it was received. `fault`: what its provider would not have accepted in it; "" = nothing. */
export type Seen = { url: URL; headers: IncomingHttpHeaders; bytes: Buffer; body: Json; fault: string };

/** How a provider of a wire format is asked, and how it words a failure. */
export type FakeProvider = {
  format: string;
  modelOf(seen: Seen): string;
  isStream(seen: Seen): boolean;
  /** Checks the path, the headers and the key. Null = they are right. */
  refuse(seen: Seen): Reply | null;
  failure(kind: "invalid" | "limited" | "broken", message: string): Reply;
  /** What is asked at other places: for tokens. */
  others?: Readonly<Record<string, (seen: Seen) => Reply>>;
  /** The fixture of an answer with calls. */
  calls: string;
};

export type FakeFormatUpstream = { url: string; seen: Seen[]; close: () => Promise<void> };

/**
 * Starts a strict upstream on loopback. What follows the last dash of the model's name selects the behaviour: `text`, `thinking`,
 * `calls` (text once it has the results), `unmetered` (no usage), `limited`, `broken`, `error` and `cut` in mid-stream.
 */
export async function startFakeFormatUpstream(provider: FakeProvider): Promise<FakeFormatUpstream> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    answer(request, response, provider, seen).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, provider: FakeProvider, all: Seen[]) {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const bytes = Buffer.concat(parts);
  const url = new URL(request.url ?? "", "http://fake");
  const seen: Seen = { url, headers: request.headers, bytes, body: {}, fault: "" };
  const other = provider.others?.[url.pathname];
  if (other) return sendJson(response, other(seen));
  seen.body = JSON.parse(bytes.toString("utf8")) as Json;
  seen.fault = upstreamSchemas.get(provider.format)?.safeParse(seen.body).error?.message ?? "";
  all.push(seen);
  const refusal = provider.refuse(seen) ?? (seen.fault === "" ? null : provider.failure("invalid", seen.fault));
  if (refusal) return sendJson(response, refusal);
  const scenario = provider.modelOf(seen).replace(/.*-/, "");
  if (scenario === "limited" || scenario === "broken") {
    return sendJson(response, provider.failure(scenario, `${scenario} as asked`));
  }
  const fixture = fixtureOf(scenario, seen, provider);
  if (!provider.isStream(seen)) return sendJson(response, { status: 200, body: wholeOf(provider, fixture, scenario) });
  sendStream(response, provider, fixture, scenario);
}

function fixtureOf(scenario: string, { bytes }: Seen, { calls }: FakeProvider): string {
  const hasResults = /"role":"(tool|function)"/i.test(bytes.toString("utf8"));
  if (scenario === "calls" && !hasResults) return calls;
  return ["thinking", "error", "cut"].includes(scenario) ? scenario : "text";
}

function sendJson(response: ServerResponse, { status, body }: Reply): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function wholeOf({ format }: FakeProvider, fixture: string, scenario: string): unknown {
  const whole = readJsonFixture(format, `${fixture === "cut" ? "text" : fixture}.answer`);
  return scenario === "unmetered" ? withoutUsage(whole) : whole;
}

function withoutUsage(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json, (key, value: unknown) => (/^usage$/i.test(key) ? undefined : value)));
}

function sendStream(response: ServerResponse, { format }: FakeProvider, fixture: string, scenario: string): void {
  const frames = readChunksFixture(format, fixture).map(({ event, data }) => ({
    event,
    data: scenario === "unmetered" ? JSON.stringify(withoutUsage(JSON.parse(data))) : data,
  }));
  response.writeHead(200, { "content-type": "text/event-stream" });
  // What breaks off or fails has said something before that.
  const last = fixture === "error" ? frames.splice(-1) : [];
  response.write(encodeFrames("sse", frames).bytes);
  if (fixture === "cut") setTimeout(() => response.destroy(), BEFORE_FAILURE_MS);
  else if (fixture === "error") setTimeout(() => response.end(encodeFrames("sse", last).bytes), BEFORE_FAILURE_MS);
  else response.end();
}
