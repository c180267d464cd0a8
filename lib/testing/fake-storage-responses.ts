import { type Answered, failed, type Json, newId, type StorageCall } from "./fake-storage-calls";

const TEXT = "The weir holds the river.";
const MODELS = /^(gpt|o\d)/;
const FIELDS = new Set([
  ...["model", "input", "instructions", "background", "store", "stream", "max_output_tokens", "metadata", "reasoning"],
  ...["previous_response_id", "tools", "temperature"],
]);

/** OpenAI's Responses API: what is stored, and what runs in the background until the test ends it. */
export function answerResponses({ method, url, body, account, fault }: StorageCall): Answered {
  const [, id, suffix] = /^\/v1\/responses(?:\/([^/]+))?(?:\/(cancel|input_items))?$/.exec(url.pathname) ?? [];
  if (!url.pathname.startsWith("/v1/responses")) return undefined;
  if (id === undefined)
    return method === "POST"
      ? create(JSON.parse(body.toString()) as Json, account.responses, fault === "ends")
      : undefined;
  const known = account.responses.get(decodeURIComponent(id));
  if (!known) return failed(404, `Response with id '${id}' not found.`);
  if (method === "DELETE" && !suffix) {
    account.responses.delete(id);
    return { status: 200, json: { id, object: "response", deleted: true } };
  }
  if (method === "POST" && suffix === "cancel") return cancel(known, account.responses);
  if (method !== "GET") return undefined;
  if (suffix === "input_items") return { status: 200, json: inputItems(id) };
  if (url.searchParams.get("stream") !== "true") return { status: 200, json: known };
  if (known.background !== true) return failed(400, "only background responses can be streamed again", "stream");
  const after = Number(url.searchParams.get("starting_after") ?? -1);
  return { status: 200, events: eventsOf(known).filter((event) => Number(event.sequence_number) > after) };
}

function create(json: Json, responses: Map<string, Json>, ends: boolean): Answered {
  const strange = Object.keys(json).find((name) => !FIELDS.has(name));
  if (strange) return failed(400, `Unknown parameter: '${strange}'.`, strange);
  if (!MODELS.test(String(json.model))) return failed(404, "no such model", "model");
  if (json.background === true && json.store === false) return failed(400, "background needs store", "background");
  const id = newId("resp_");
  const response = {
    id,
    object: "response",
    created_at: 1_760_000_000,
    status: json.background === true ? "queued" : "completed",
    background: json.background === true,
    error: null,
    incomplete_details: null,
    model: json.model,
    output: json.background === true ? [] : [messageOf(id)],
    store: json.store !== false,
    usage: json.background === true ? null : { input_tokens: 12, output_tokens: 7, total_tokens: 19 },
  };
  if (ends) Object.assign(response, completed(id, 30, 40));
  if (response.store) responses.set(id, response);
  return json.stream === true ? { status: 200, events: eventsOf(response) } : { status: 200, json: response };
}

function cancel(known: Json, responses: Map<string, Json>): Answered {
  if (known.background !== true) return failed(400, "Only background responses can be cancelled.");
  const isOver = known.status !== "queued" && known.status !== "in_progress";
  const cancelled = isOver ? known : { ...known, status: "cancelled" };
  responses.set(String(known.id), cancelled);
  return { status: 200, json: cancelled };
}

/** What a response ends with, for `endResponse`. */
export function completed(id: string, input: number, output: number): Json {
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  return { status: "completed", output: [messageOf(id)], usage };
}

function messageOf(id: string): Json {
  const content = [{ type: "output_text", text: TEXT, annotations: [], logprobs: [] }];
  return { id: `msg_${id}`, type: "message", status: "completed", role: "assistant", content };
}

function inputItems(id: string): Json {
  const content = [{ type: "input_text", text: "Hello" }];
  const item = { id: `msg_in_${id}`, type: "message", role: "user", status: "completed", content };
  return { object: "list", data: [item], first_id: item.id, last_id: item.id, has_more: false };
}

/** Of a response that still runs, the stream has no end. */
function eventsOf(response: Json): Json[] {
  const begun = { ...response, status: "queued", output: [], usage: null };
  const place = { item_id: `msg_${response.id}`, output_index: 0, content_index: 0 };
  const isOver = response.status !== "queued" && response.status !== "in_progress";
  const words = TEXT.match(/\S+\s*/g) ?? [];
  const events: Json[] = [
    { type: "response.created", response: begun },
    { type: "response.queued", response: begun },
    { type: "response.in_progress", response: { ...begun, status: "in_progress" } },
    ...words.map((delta) => ({ type: "response.output_text.delta", ...place, delta, logprobs: [] })),
    ...(isOver ? [{ type: `response.${response.status}`, response }] : []),
  ];
  return events.map((event, at) => ({ ...event, sequence_number: at }));
}
