import { egressReason } from "@/lib/egress/reason";
import { fetchVia, type Worker } from "@/lib/egress/worker";
import { AppError } from "@/lib/errors";
import { RelayError } from "../relay-error";

const IMAGES_MAX = 16;
const IMAGE_BYTES_MAX = 20 * 1_048_576;
/** For all fetched images of a request together. */
const TOTAL_BYTES_MAX = 40 * 1_048_576;
const fetchMs = 20_000;
const REDIRECTS = 3;

export type FetchImage = (url: string, maxBytes: number) => Promise<{ type: string; bytes: Buffer }>;

/** Fetches images from URLs given by clients, so never from a private network, and through the worker if there is one. */
export const imageFetcher =
  (worker: Worker | null): FetchImage =>
  (url, maxBytes) =>
    fetchImage(worker, url, maxBytes);

/** Throws 400. */
async function fetchImage(worker: Worker | null, url: string, maxBytes: number): ReturnType<FetchImage> {
  try {
    const limits = { timeoutMs: fetchMs, maxBytes, redirects: REDIRECTS };
    const { status, headers, body } = await fetchVia(worker, url, { ...limits, headers: { accept: "image/*" } });
    const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
    if (status !== 200) throw refused(url, `status ${status}`);
    if (!/^image\/[a-z0-9.+-]+$/.test(type)) throw refused(url, "it is not a picture");
    return { type, bytes: body };
  } catch (error) {
    if (error instanceof RelayError) throw error;
    throw refused(url, error instanceof AppError ? egressReason(error) : "it could not be fetched");
  }
}

function refused(url: string, reason: string): RelayError {
  const host = URL.canParse(url) ? new URL(url).host : "its address";
  return invalid(`the picture at ${host} cannot be used: ${reason}`);
}

function invalid(message: string): RelayError {
  const code = "invalid_image_url";
  return new RelayError(400, message, { type: "invalid_request_error", param: "messages", code });
}

/** Fetches images as data URLs, for upstreams that cannot fetch them. Each URL is fetched once. Throws 400. */
export async function inlineImages(
  urls: readonly string[],
  fetchOne: FetchImage,
): Promise<ReadonlyMap<string, string>> {
  if (urls.length > IMAGES_MAX) throw invalid(`no more than ${IMAGES_MAX} pictures can be fetched for a request`);
  const fetched = new Map<string, string>();
  let left = TOTAL_BYTES_MAX;
  for (const url of urls) {
    if (fetched.has(url)) continue;
    const { type, bytes } = await fetchOne(url, Math.min(left, IMAGE_BYTES_MAX));
    left -= bytes.length;
    fetched.set(url, `data:${type};base64,${bytes.toString("base64")}`);
  }
  return fetched;
}
