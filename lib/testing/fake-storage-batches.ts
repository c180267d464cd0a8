import { type Answered, failed, type Json, newId, type StorageCall } from "./fake-storage-calls";

const ENDPOINTS = new Set(["/v1/responses", "/v1/chat/completions", "/v1/embeddings", "/v1/completions"]);
const FIELDS = new Set(["input_file_id", "endpoint", "completion_window", "metadata", "output_expires_after"]);

/** OpenAI's Batch API. A batch runs until the test ends it. */
export function answerBatches({ method, url, body, account }: StorageCall): Answered {
  const [whole, id, suffix] = /^\/v1\/batches(?:\/([^/]+))?(\/cancel)?$/.exec(url.pathname) ?? [];
  if (whole === undefined) return undefined;
  if (id === undefined) return method === "POST" ? create(JSON.parse(body.toString()) as Json, account) : undefined;
  const known = account.batches.get(decodeURIComponent(id));
  if (!known) return failed(404, `No batch found with id '${id}'.`);
  if (method === "GET" && !suffix) return { status: 200, json: known };
  if (method !== "POST" || !suffix) return undefined;
  const cancelling = { ...known, status: "cancelling", cancelling_at: 1_760_000_100 };
  account.batches.set(id, cancelling);
  return { status: 200, json: cancelling };
}

function create(json: Json, { files, batches }: StorageCall["account"]): Answered {
  const strange = Object.keys(json).find((name) => !FIELDS.has(name));
  if (strange) return failed(400, `Unknown parameter: '${strange}'.`, strange);
  if (!ENDPOINTS.has(String(json.endpoint))) return failed(400, "no such endpoint", "endpoint");
  if (json.completion_window !== "24h") return failed(400, "completion_window must be 24h", "completion_window");
  const file = files.get(String(json.input_file_id));
  if (file?.object.purpose !== "batch") return failed(400, "no such input file", "input_file_id");
  const id = newId("batch_");
  const batch = {
    ...{ id, object: "batch", endpoint: json.endpoint, errors: null, input_file_id: json.input_file_id },
    ...{ completion_window: "24h", status: "validating", created_at: 1_760_000_000, metadata: json.metadata ?? null },
    request_counts: { total: 0, completed: 0, failed: 0 },
  };
  batches.set(id, batch);
  return { status: 200, json: batch };
}
