import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Json = Record<string, unknown>;
/** `bytes`: what was received, and what was answered. */
export type SeenResponse = { path: string; key: string; body: Json; bytes: { received: string; answered: string } };

export type FakeResponses = {
  url: string;
  requests: SeenResponse[];
  /** Ids for the next answers; then they are made up. */
  nextIds: string[];
  close: () => Promise<void>;
};

/**
 * Starts an upstream on loopback that speaks OpenAI's Responses API and stores answers by account: what another key made
 * is not found. A model `…-plain` says that it stores nothing.
 */
export async function startFakeResponses(): Promise<FakeResponses> {
  const requests: SeenResponse[] = [];
  const nextIds: string[] = [];
  const stored = new Map<string, Set<string>>();
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const received = Buffer.concat(parts).toString("utf8");
    const body = JSON.parse(received) as Json;
    const key = (request.headers.authorization ?? "").replace("Bearer ", "");
    const own = stored.get(key) ?? new Set<string>();
    stored.set(key, own);
    const missing = named(body).find((id) => !own.has(id));
    const answer = answerTo(body, nextIds.shift() ?? `resp_${randomUUID().replaceAll("-", "")}`);
    const status = missing === undefined ? 200 : 400;
    const answered =
      missing !== undefined
        ? JSON.stringify(notFound(missing))
        : body.stream
          ? streamed(answer)
          : JSON.stringify(answer);
    requests.push({ path: request.url ?? "", key, body, bytes: { received, answered } });
    if (status === 200 && answer.store) for (const id of idsOf(answer)) own.add(id);
    const isStream = status === 200 && body.stream === true;
    response.writeHead(status, { "content-type": isStream ? "text/event-stream" : "application/json" });
    response.end(answered);
  }

  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    nextIds,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function named({ previous_response_id: previous, input }: Json): string[] {
  const items = Array.isArray(input) ? (input as Json[]) : [];
  const references = items.filter(({ type }) => type === "item_reference").map(({ id }) => String(id));
  return typeof previous === "string" ? [previous, ...references] : references;
}

function notFound(id: string): Json {
  const message = `Previous response with id '${id}' not found.`;
  const error = { message, type: "invalid_request_error", param: "previous_response_id" };
  return { error: { ...error, code: "previous_response_not_found" } };
}

const TEXT = "The weir holds the river.";

function answerTo({ model, store, previous_response_id: previous }: Json, id: string): Json {
  return {
    id,
    object: "response",
    created_at: 1_760_000_000,
    status: "completed",
    model,
    output: [messageOf(id)],
    previous_response_id: previous ?? null,
    store: store !== false && !String(model).endsWith("-plain"),
    usage: { input_tokens: 12, output_tokens: 7, total_tokens: 19 },
  };
}

function messageOf(id: string): Json {
  const content = [{ type: "output_text", text: TEXT, annotations: [], logprobs: [] }];
  return { id: `msg_${id}`, type: "message", status: "completed", role: "assistant", content };
}

function idsOf({ id, output }: Json): string[] {
  return [String(id), ...(output as Json[]).map((item) => String(item.id))];
}

/** Written with spaces that no JSON writer leaves, so that a test sees whether bytes were written anew. */
function streamed(answer: Json): string {
  const begun = { ...answer, status: "in_progress", output: [], usage: null };
  const [item = {}] = answer.output as Json[];
  const place = { item_id: item.id, output_index: 0, content_index: 0 };
  const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
  const words = TEXT.match(/\S+\s*/g) ?? [];
  const events: Json[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress", content: [] } },
    { type: "response.content_part.added", ...place, part },
    ...words.map((delta) => ({ type: "response.output_text.delta", ...place, delta, logprobs: [] })),
    { type: "response.output_text.done", ...place, text: TEXT, logprobs: [] },
    { type: "response.content_part.done", ...place, part: { ...part, text: TEXT } },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: answer },
  ];
  return events
    .map(
      (event, i) =>
        `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: i }, null, 1).replaceAll("\n", "")}\n\n`,
    )
    .join("");
}
