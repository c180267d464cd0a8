import { type Answered, failed, newId, type StorageCall } from "./fake-storage-calls";

const PURPOSES = new Set(["assistants", "batch", "fine-tune", "vision", "user_data", "evals"]);

/** OpenAI's Files API. */
export async function answerFiles(call: StorageCall): Promise<Answered> {
  const { method, url, account } = call;
  const [whole, id, suffix] = /^\/v1\/files(?:\/([^/]+))?(\/content)?$/.exec(url.pathname) ?? [];
  if (whole === undefined) return undefined;
  if (id === undefined) return method === "POST" ? upload(call) : undefined;
  const known = account.files.get(decodeURIComponent(id));
  if (!known) return failed(404, `No such File object: ${id}`, "id");
  if (method === "GET" && suffix) return { status: 200, bytes: known.content };
  if (method === "GET") return { status: 200, json: known.object };
  if (method !== "DELETE") return undefined;
  account.files.delete(id);
  return { status: 200, json: { id, object: "file", deleted: true } };
}

async function upload({ body, type, account }: StorageCall): Promise<Answered> {
  if (!type.startsWith("multipart/form-data")) return failed(400, "multipart/form-data is needed");
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
  const file = form.get("file");
  const purpose = form.get("purpose");
  if (!(file instanceof File)) return failed(400, "'file' is a required property", "file");
  if (!PURPOSES.has(String(purpose))) return failed(400, `'${purpose}' is not one of the purposes`, "purpose");
  const strange = [...form.keys()].find((name) => !/^(file|purpose|expires_after\[\w+\])$/.test(name));
  if (strange) return failed(400, `Unknown parameter: '${strange}'.`, strange);
  const id = newId("file-");
  const content = Buffer.from(await file.arrayBuffer());
  const object = {
    ...{ id, object: "file", bytes: content.length, created_at: 1_760_000_000, filename: file.name, purpose },
    ...{ status: "processed", expires_at: null },
  };
  account.files.set(id, { object, content });
  return { status: 200, json: object };
}
