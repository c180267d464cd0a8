import { isFilledObject, type Json, readText } from "../canonical/json";

/** What the name of a field says of its text. "inner": the caller's or a model's own data, which no upstream reads as an address. */
type Role = "address" | "text" | "inner" | "other";

/** Names without case and underscores: Google takes fileUri and file_uri, and some upstreams any case. */
const ADDRESS = /(ur[il]|fileid|file|image|video|audio|document)s?$/;
const TEXTS = new Set(["content", "text"]);
const INNER = new Set([
  ...["args", "arguments", "parameters", "inputschema", "inputexamples", "schema", "response", "metadata", "labels"],
  "env",
]);
/** Names come from callers, so that they are remembered up to this number. */
const NAMES_MAX = 2_000;
const roles = new Map<string, Role>();

/** Schemes that any upstream may fetch, or that hold the bytes themselves. Others are storage of its own: gs:, s3:, oss:, ms: … */
const PUBLIC_SCHEMES = new Set(["http", "https", "data"]);
const SCHEME = /^[\s\p{Cc}]*([a-z][a-z0-9+._-]*):\/\//iu;
/** Names of files that Google takes without a host. */
const FILE_NAME = /^[\s\p{Cc}]*\/?(v\d\w*\/)?files\//iu;
/** Hosts that ask for the account, or are asked with it. */
const ACCOUNT_HOST =
  /^(([a-z0-9-]+-)?aiplatform|generativelanguage)\..*googleapis\.com\.?$|^storage\.cloud\.google\.com\.?$/;
/** Alibaba reads files whose ids stand in a text. */
const FILE_TEXT = /^[\s\p{Cc}]*fileid:\/\//iu;
const START = 64;
/** Names of hosts are shorter, and so is what may stand before them. */
const HOST_WITHIN = 2_048;

function roleOf(name: string): Role {
  const known = roles.get(name);
  if (known !== undefined) return known;
  const plain = name.toLowerCase().replaceAll("_", "");
  const role = INNER.has(plain) ? "inner" : TEXTS.has(plain) ? "text" : ADDRESS.test(plain) ? "address" : "other";
  if (roles.size < NAMES_MAX) roles.set(name, role);
  return role;
}

/** Whether only the upstream can read what is at the address, with the rights of the channel's account. */
export function isStoredAddress(text: string): boolean {
  const scheme = SCHEME.exec(text.slice(0, START))?.[1]?.toLowerCase();
  if (scheme === undefined) return FILE_NAME.test(text.slice(0, START));
  if (!PUBLIC_SCHEMES.has(scheme)) return true;
  return scheme !== "data" && ACCOUNT_HOST.test(hostOf(text));
}

const HOST = /:\/\/(?:[^/?#\\]*@)?([^/?#\\:]*)/;

/** The host as a fetcher reads it: without encodings, other forms of letters, and characters that are left out. */
function hostOf(url: string): string {
  const [, host = ""] = HOST.exec(url.slice(0, HOST_WITHIN).replace(/\p{Cc}/gu, "")) ?? [];
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
    if (role === "text") return mayName(value) && FILE_TEXT.test(value.slice(0, START));
    return role === "address" && isStoredAddress(value);
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
    if (namesStored(inner[name], roleOf(name), inner)) return true;
  }
  return false;
}
