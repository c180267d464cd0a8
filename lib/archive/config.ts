import { isAbsolute } from "node:path";
import { ArchiveError } from "./storage";

export const ARCHIVE_FORMATS = ["jsonl", "parquet"] as const;
export type ArchiveFormat = (typeof ARCHIVE_FORMATS)[number];

export type FolderPlace = { kind: "folder"; path: string };
export type BucketPlace = {
  kind: "s3";
  bucket: string;
  /** Begins every name; "" or with a slash at its end. */
  prefix: string;
  /** Of a server that is not Amazon's; null = Amazon's. */
  endpoint: string | null;
  /** Null = what the SDK finds: AWS_REGION, or the profile. */
  region: string | null;
  /** The bucket is in the path of the address, not in its host name. */
  hasPathStyle: boolean;
};
export type ArchivePlace = FolderPlace | BucketPlace;

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^(?:[\w.=-]+\/)*$/;
const BUCKET_OPTIONS = new Set(["endpoint", "region", "path-style"]);

/** Reads WEIR_ARCHIVE_URL. Throws ArchiveError with what is wrong. */
export function parseArchiveUrl(text: string): ArchivePlace {
  if (text.startsWith("folder:")) return parseFolder(text.slice("folder:".length));
  if (text.startsWith("s3://") && URL.canParse(text)) return parseBucket(new URL(text), text);
  throw wrong("it begins with folder:/ or s3://");
}

function parseFolder(path: string): FolderPlace {
  if (!isAbsolute(path)) throw wrong("the folder needs its whole path, e.g. folder:/srv/weir-archive");
  return { kind: "folder", path };
}

function parseBucket(url: URL, text: string): BucketPlace {
  if (url.username || url.password) {
    throw wrong("keys do not belong into it; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile");
  }
  if (!BUCKET.test(url.hostname)) throw wrong("the name of the bucket is missing or not allowed");
  const path = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, "");
  const prefix = path === "" ? "" : `${path}/`;
  if (!PREFIX.test(prefix) || hasDotSegment(text)) {
    throw wrong("the prefix may have letters, digits, dots, dashes, equals signs and slashes");
  }
  const options = url.searchParams;
  for (const name of options.keys()) if (!BUCKET_OPTIONS.has(name)) throw wrong(`it has no option ${name}`);
  const endpoint = options.get("endpoint");
  if (endpoint !== null && !/^https?:\/\/[^/?#@\s]+\/?$/.test(endpoint))
    throw wrong("the endpoint is no http(s) address");
  return {
    kind: "s3",
    bucket: url.hostname,
    prefix,
    endpoint,
    region: options.get("region"),
    hasPathStyle: ["1", "true"].includes(options.get("path-style") ?? ""),
  };
}

/** A URL takes .. away without a word, so the text is looked at. */
function hasDotSegment(text: string): boolean {
  const [path = ""] = text.split("?");
  return path.split("/").some((part) => /^(?:\.|%2e)+$/i.test(part));
}

/** The place without options, to be shown. */
export function describePlace(place: ArchivePlace): string {
  return place.kind === "folder" ? `folder:${place.path}` : `s3://${place.bucket}/${place.prefix}`;
}

function wrong(reason: string): ArchiveError {
  return new ArchiveError(`WEIR_ARCHIVE_URL cannot be used: ${reason}.`);
}
