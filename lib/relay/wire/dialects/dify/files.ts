import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { AudioPart, ChatRequest, FilePart, ImagePart, UserPart } from "../../canonical/request";
import type { Uploads } from "../dialect";
import { isDataUrl, namedDataUrl } from "../pictures/data-url";

/** The pictures, sounds and files of all messages. One that must be uploaded is a data URL in place of its id. */
export function encodeFiles({ messages }: ChatRequest): Json[] {
  return messages.flatMap((message) => (message.role === "user" ? message.content.flatMap(encodeFile) : []));
}

function encodeFile(part: UserPart): Json[] {
  if (part.type === "text") return [];
  if (part.type === "audio") return [uploaded("audio", audioUrl(part))];
  const { source } = part;
  if (source.type === "url") return [{ type: kindAtAddress(part), transfer_method: "remote_url", url: source.url }];
  if (source.type !== "base64") return [];
  const name = part.type === "file" ? part.name : undefined;
  return [uploaded(kindOf(source.mediaType), namedDataUrl(source.mediaType, name, source.data))];
}

function uploaded(type: string, url: string): Json {
  return { type, transfer_method: "local_file", upload_file_id: url };
}

function audioUrl({ format, data }: AudioPart): string {
  return namedDataUrl(format === "mp3" ? "audio/mpeg" : `audio/${format}`, undefined, data);
}

const DOCUMENT = /^(text\/|application\/(pdf|msword|epub|xml|vnd\.(ms-|openxmlformats)))/;

function kindOf(mediaType: string): string {
  const [family = ""] = mediaType.split("/");
  if (["image", "audio", "video"].includes(family)) return family;
  return DOCUMENT.test(mediaType) ? "document" : "custom";
}

function kindAtAddress({ type }: ImagePart | FilePart): string {
  return type === "image" ? "image" : "document";
}

export const uploads: Uploads = {
  path: "/v1/files/upload",
  pending: ({ files }) => readArray(files).map(idOf).filter(isDataUrl),
  // A file belongs to the user that the request names.
  form: ({ user }) => ({ user: readText(user) }),
  readId: ({ id }) => readText(id) || null,
  withIds: (json, ids) => ({ ...json, files: readArray(json.files).map((file) => withId(readObject(file), ids)) }),
};

function idOf(file: unknown): string {
  return readText(readObject(file).upload_file_id);
}

function withId(file: Json, ids: ReadonlyMap<string, string>): Json {
  const id = ids.get(idOf(file));
  return id === undefined ? file : { ...file, upload_file_id: id };
}
