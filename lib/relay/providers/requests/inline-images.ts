import { egressReason, isTooLarge } from "@/lib/egress/reason";
import { fetchVia, type Worker } from "@/lib/egress/worker";
import { AppError } from "@/lib/errors";
import type { BodyShare } from "../../base/body-budget";
import { RelayError } from "../../base/relay-error";

const IMAGES_MAX = 16;
const IMAGE_BYTES_MAX = 20 * 1_048_576;
/** For all fetched images of a request together. */
const TOTAL_BYTES_MAX = 40 * 1_048_576;
const fetchMs = 20_000;
const REDIRECTS = 3;

/** A byte of a picture is held as it came, as base64, in the text of the body and in the body: some six bytes at once, as measured. */
const HELD_PER_BYTE = 6;
/** Reserved before a picture is asked for, and counted for its first bytes. */
const FIRST_BYTES = 65_536;
/** Pictures that are fetched at once. */
const AT_ONCE = 128;
const AT_ONCE_OF_USER = 16;

/** `reserve`: told of the memory that is needed, before it is; it may throw. */
export type FetchImage = (
  url: string,
  maxBytes: number,
  reserve: (bytes: number) => void,
) => Promise<{ type: string; bytes: Buffer }>;

/** The request that pictures are fetched for. They stay with it, so that each is fetched once however many channels are asked. */
export type PictureHolder = {
  /** Where their memory is counted; null = nowhere. */
  readonly share: Pick<BodyShare, "add"> | null;
  readonly owner: { user: { id: number } } | null;
  /** As data URLs, by address; null = none was needed yet. */
  pictures: Map<string, Promise<string>> | null;
};

/** Fetches images from URLs given by clients, so never from a private network, and through the worker if there is one. */
export const imageFetcher =
  (worker: Worker | null): FetchImage =>
  (url, maxBytes, reserve) =>
    fetchImage(worker, url, maxBytes, reserve);

/** Throws 400, 413, or what `reserve` throws. */
async function fetchImage(
  worker: Worker | null,
  url: string,
  maxBytes: number,
  reserve: (bytes: number) => void,
): ReturnType<FetchImage> {
  let reserved = FIRST_BYTES;
  const onBytes = (bytes: number): void => {
    const more = Math.max(0, bytes - reserved);
    reserved = Math.max(0, reserved - bytes);
    if (more > 0) reserve(more);
  };
  reserve(FIRST_BYTES);
  try {
    const limits = { timeoutMs: fetchMs, maxBytes, redirects: REDIRECTS, onBytes };
    const { status, headers, body } = await fetchVia(worker, url, { ...limits, headers: { accept: "image/*" } });
    const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
    if (status !== 200) throw refused(url, `status ${status}`);
    if (!/^image\/[a-z0-9.+-]+$/.test(type)) throw refused(url, "it is not a picture");
    return { type, bytes: body };
  } catch (error) {
    if (error instanceof RelayError) throw error;
    if (isTooLarge(error)) throw tooLarge(url);
    throw refused(url, error instanceof AppError ? egressReason(error) : "it could not be fetched");
  }
}

function refused(url: string, reason: string): RelayError {
  return invalid(`the picture at ${hostOf(url)} cannot be used: ${reason}`);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "its address";
}

function tooLarge(url: string): RelayError {
  const most = `${IMAGE_BYTES_MAX / 1_048_576} MB for each picture and ${TOTAL_BYTES_MAX / 1_048_576} MB for all of a request`;
  const message = `the picture at ${hostOf(url)} is too large: the limit is ${most}`;
  return new RelayError("picture_too_large", message, { param: "messages" });
}

function invalid(message: string): RelayError {
  return new RelayError("invalid_image_url", message, { param: "messages" });
}

/** Of a data URL. */
function bytesOf(picture: string): number {
  return Buffer.byteLength(picture.slice(picture.indexOf(",") + 1), "base64");
}

const fetching = { count: 0, byUser: new Map<number, number>() };

/** Throws 429 or 503 where too many pictures are being fetched. Returns what ends it. */
function enter(userId: number): () => void {
  const own = fetching.byUser.get(userId) ?? 0;
  if (own >= AT_ONCE_OF_USER)
    throw tooMany("too_many_pictures", "too many pictures are being fetched for your requests");
  if (fetching.count >= AT_ONCE) throw tooMany("pictures_of_process", "too many pictures are being fetched");
  fetching.count += 1;
  fetching.byUser.set(userId, own + 1);
  return () => {
    fetching.count -= 1;
    const left = (fetching.byUser.get(userId) ?? 1) - 1;
    if (left === 0) fetching.byUser.delete(userId);
    else fetching.byUser.set(userId, left);
  };
}

function tooMany(refusal: "too_many_pictures" | "pictures_of_process", message: string): RelayError {
  return new RelayError(refusal, `${message}, please try again`, { retryAfter: 2 });
}

/**
 * Fetches images as data URLs, for upstreams that cannot fetch them. Each URL is fetched once. What they take is reserved as they
 * arrive, and held until the request ends. Throws 400 or 413, and 429 or 503 where there is no room.
 */
export async function inlineImages(
  urls: readonly string[],
  fetchOne: FetchImage,
  holder: PictureHolder = { share: null, owner: null, pictures: null },
): Promise<ReadonlyMap<string, string>> {
  if (urls.length > IMAGES_MAX) throw invalid(`no more than ${IMAGES_MAX} pictures can be fetched for a request`);
  holder.pictures ??= new Map();
  const { pictures, share, owner } = holder;
  const fetched = new Map<string, string>();
  let left = TOTAL_BYTES_MAX;
  const fetchNew = async (url: string): Promise<string> => {
    const leave = enter(owner?.user.id ?? 0);
    try {
      const maxBytes = Math.min(left, IMAGE_BYTES_MAX);
      const { type, bytes } = await fetchOne(url, maxBytes, (more) => share?.add(more * HELD_PER_BYTE));
      return `data:${type};base64,${bytes.toString("base64")}`;
    } finally {
      leave();
    }
  };
  for (const url of urls) {
    if (fetched.has(url)) continue;
    const known = pictures.get(url) ?? fetchNew(url);
    pictures.set(url, known);
    const picture = await known;
    left -= bytesOf(picture);
    fetched.set(url, picture);
  }
  return fetched;
}
