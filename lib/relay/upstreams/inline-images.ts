import { egressFetch } from "@/lib/egress";
import { AppError } from "@/lib/errors";
import { scanTopLevel } from "../json-splice";
import { RelayError } from "../relay-error";
import type { ChatRequest } from "../stages/parse-chat";

const IMAGES_MAX = 16;
const IMAGE_BYTES_MAX = 20 * 1_048_576;
/** Of all pictures of a request together, as they are fetched. */
const TOTAL_BYTES_MAX = 40 * 1_048_576;
const fetchMs = 20_000;
const REDIRECTS = 3;

type Part = { type?: unknown; image_url?: unknown };
export type FetchImage = (url: string, maxBytes: number) => Promise<{ type: string; bytes: Buffer }>;

const addressOf = ({ image_url: image }: Part): string => {
  const url = typeof image === "string" ? image : (image as { url?: unknown } | null)?.url;
  return typeof url === "string" && /^https?:/i.test(url) ? url : "";
};

function partsOf(messages: readonly unknown[]): Part[] {
  return messages.flatMap((message) => {
    const content = (message as { content?: unknown } | null)?.content;
    return Array.isArray(content) ? (content as (Part | null)[]).filter((part) => part !== null) : [];
  });
}

/** Whether a request names pictures that somebody else would have to fetch. */
export function hasRemoteImages(messages: readonly unknown[]): boolean {
  return partsOf(messages).some((part) => part.type === "image_url" && addressOf(part) !== "");
}

/** Fetches a picture as the caller's own URL: never from a private network. Throws 400. */
export const fetchImage: FetchImage = async (url, maxBytes) => {
  try {
    const limits = { timeoutMs: fetchMs, maxBytes, redirects: REDIRECTS };
    const { status, headers, body } = await egressFetch(url, { ...limits, headers: { accept: "image/*" } });
    const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
    if (status !== 200) throw refused(url, `status ${status}`);
    if (!/^image\/[a-z0-9.+-]+$/.test(type)) throw refused(url, "it is not a picture");
    return { type, bytes: body };
  } catch (error) {
    if (error instanceof RelayError) throw error;
    throw refused(url, error instanceof AppError ? error.messageKey : "it could not be fetched");
  }
};

function refused(url: string, reason: string): RelayError {
  const host = URL.canParse(url) ? new URL(url).host : "its address";
  return invalid(`the picture at ${host} cannot be used: ${reason}`);
}

function invalid(message: string): RelayError {
  const code = "invalid_image_url";
  return new RelayError(400, message, { type: "invalid_request_error", param: "messages", code });
}

/** The request with every remote picture written into it, for upstreams that fetch nothing. Throws 400. */
export async function inlineImages(chat: ChatRequest, fetchOne: FetchImage = fetchImage): Promise<ChatRequest> {
  const messages = structuredClone(chat.messages);
  const parts = partsOf(messages).filter((part) => part.type === "image_url" && addressOf(part) !== "");
  if (parts.length > IMAGES_MAX) throw invalid(`no more than ${IMAGES_MAX} pictures can be fetched for a request`);
  const fetched = new Map<string, string>();
  let left = TOTAL_BYTES_MAX;
  for (const part of parts) {
    const url = addressOf(part);
    let data = fetched.get(url);
    if (data === undefined) {
      const { type, bytes } = await fetchOne(url, Math.min(left, IMAGE_BYTES_MAX));
      left -= bytes.length;
      data = `data:${type};base64,${bytes.toString("base64")}`;
      fetched.set(url, data);
    }
    const given = typeof part.image_url === "object" ? part.image_url : {};
    part.image_url = { ...given, url: data };
  }
  const json = { ...chat.json, messages };
  const body = Buffer.from(JSON.stringify(json));
  return { ...chat, json, messages, body, spans: scanTopLevel(body) ?? new Map() };
}
