import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { Uploads } from "../dialect";
import { isDataUrl } from "../pictures/data-url";

export const uploads: Uploads = {
  path: "/v1/files/upload",
  pending: (json) =>
    messagesOf(json)
      .flatMap(itemsOf)
      .map(({ file_id: id }) => readText(id))
      .filter(isDataUrl),
  form: () => ({}),
  readId: ({ code, data }) => (code === 0 ? readText(readObject(data).id) || null : null),
  withIds: (json, ids) => ({
    ...json,
    additional_messages: messagesOf(json).map((message) => withIds(message, ids)),
  }),
};

function messagesOf(json: Json): Json[] {
  return readArray(json.additional_messages).map(readObject);
}

/** The parts of a message that is more than text: they are JSON in its content. */
function itemsOf({ content, content_type: type }: Json): Json[] {
  if (type !== "object_string") return [];
  try {
    return readArray(JSON.parse(readText(content))).map(readObject);
  } catch {
    return [];
  }
}

function withIds(message: Json, ids: ReadonlyMap<string, string>): Json {
  const items = itemsOf(message);
  if (items.length === 0) return message;
  const known = items.map((item) => ({ ...item, ...idOf(item, ids) }));
  return { ...message, content: JSON.stringify(known) };
}

function idOf({ file_id: given }: Json, ids: ReadonlyMap<string, string>): Json {
  const id = ids.get(readText(given));
  return id === undefined ? {} : { file_id: id };
}
