import { isFilledObject, type Json, readText } from "../../canonical/json";

/**
 * What the name of a field says of its text. "inner": the caller's or a model's own data, which no upstream reads as an
 * address. "sound": an address, or an object whose data is one.
 */
type Role = "address" | "sound" | "text" | "inner" | "other";

/** Names without case and underscores: Google takes fileUri and file_uri, and some upstreams any case. */
const ADDRESS = /(ur[il]|fileid|filedata|file|image|video|audio|document)s?$/;
const TEXTS = new Set(["content", "text", "documents"]);
const SOUNDS = new Set(["inputaudio"]);
const INNER = new Set([
  ...["args", "arguments", "parameters", "inputschema", "inputexamples", "schema", "response", "metadata", "labels"],
  "env",
]);
/** Names come from callers, so that they are remembered up to this number. */
const NAMES_MAX = 2_000;
const roles = new Map<string, Role>();

/** Schemes that any upstream may fetch, or that hold the bytes themselves. Others are storage of its own: gs:, s3:, oss:, ms: … */
const PUBLIC_SCHEMES = new Set(["http", "https", "data"]);
const SCHEME = /^([a-z][a-z0-9+._-]*):\/\//i;
/** Names of files that Google takes without a host. */
const FILE_NAME = /^\/?(v\d\w*\/)?files\//i;
/** Hosts that ask for the account, or are asked with it. */
const ACCOUNT_HOST =
  /^(([a-z0-9-]+-)?aiplatform|generativelanguage)\..*googleapis\.com\.?$|^storage\.cloud\.google\.com\.?$/;
/** Alibaba reads files whose ids stand in a text. */
const FILE_TEXT = /^fileid:\/\//i;
/** What readers of addresses leave out: space before them, and characters that are not seen. */
const BEFORE = /^[\s\p{Cc}\p{Cf}]+/u;
const UNSEEN = /[\p{Cc}\p{Cf}]+/gu;
const START = 64;
/** Names of hosts are shorter, and so is what may stand before them. */
const HOST_WITHIN = 2_048;

function roleOf(name: string): Role {
  const known = roles.get(name);
  if (known !== undefined) return known;
  const plain = name.toLowerCase().replaceAll("_", "");
  const role = newRole(plain);
  if (roles.size < NAMES_MAX) roles.set(name, role);
  return role;
}

function newRole(plain: string): Role {
  if (INNER.has(plain)) return "inner";
  if (TEXTS.has(plain)) return "text";
  if (SOUNDS.has(plain)) return "sound";
  return ADDRESS.test(plain) ? "address" : "other";
}

/** Whether only the upstream can read what is at the address, with the rights of the channel's account. */
export function isStoredAddress(text: string): boolean {
  const start = startOf(text, START);
  const scheme = SCHEME.exec(start)?.[1]?.toLowerCase();
  if (scheme === undefined) return FILE_NAME.test(start);
  if (!PUBLIC_SCHEMES.has(scheme)) return true;
  return scheme !== "data" && ACCOUNT_HOST.test(hostOf(text));
}

/** How a text begins for who reads it as an address, however much it leaves out before. */
function startOf(text: string, length: number): string {
  return text.replace(BEFORE, "").slice(0, length).replace(UNSEEN, "");
}

const HOST = /:\/\/(?:[^/?#\\]*@)?([^/?#\\:]*)/;

/** The host as a fetcher reads it: without encodings, other forms of letters, and characters that are left out. */
function hostOf(url: string): string {
  const [, host = ""] = HOST.exec(startOf(url, HOST_WITHIN)) ?? [];
  const plain = host.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return plain.normalize("NFKC").toLowerCase();
}

/**
 * The field at the top of a request in which a file of the upstream's own storage is named: a `gs://` address, a file of
 * Google's Files API. Null = none is. All dialects are read alike, so that no shape of a body goes unread.
 */
export function storedAddressIn(json: Readonly<Json>): string | null {
  for (const name in json) if (namesStored(json[name], roleOf(name), json)) return name;
  return null;
}

/** Most texts begin with another letter, and need no pattern. */
function mayName(text: string): boolean {
  const first = text.charCodeAt(0);
  return first === 0x66 || first === 0x46 || first <= 0x20 || first > 0x7e;
}

function namesStored(value: unknown, role: Role, holder: Readonly<Json>): boolean {
  if (typeof value === "string") {
    if (role === "text") return mayName(value) && FILE_TEXT.test(startOf(value, START));
    return (role === "address" || role === "sound") && isStoredAddress(value);
  }
  if (typeof value !== "object" || value === null || role === "inner") return false;
  if (Array.isArray(value)) {
    for (const item of value) if (namesStored(item, role, holder)) return true;
    return false;
  }
  const inner = value as Json;
  for (const name in inner) {
    // Anthropic's name for the arguments of a call, which is the whole conversation elsewhere.
    if (name === "input" && readText(inner.type).endsWith("tool_use") && isFilledObject(inner[name])) continue;
    const own = role === "sound" && name === "data" ? "address" : roleOf(name);
    if (namesStored(inner[name], own, inner)) return true;
  }
  return false;
}
