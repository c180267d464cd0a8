import type { OperationId } from "@/lib/operations";
import type { StoredForm } from "../../answers/stored-answer";

export type StoredKind = "response" | "file" | "batch";
export type StoredAction = "create" | "list" | "read" | "delete" | "cancel" | "list-input" | "content";

/** What is kept at an account of an upstream, and what is asked of it. */
export type StoredRoute = {
  kind: StoredKind;
  /** "" = none. */
  id: string;
  action: StoredAction;
  /** What a key must be allowed to do; null = nothing in particular. */
  operation: OperationId | null;
  /** Behind the id. */
  suffix: string;
};

/** The parameters of these paths that go on to the account. */
export const STORED_PARAMETERS = [
  ...["stream", "starting_after", "include[]", "include", "include_obfuscation", "limit", "order", "after", "before"],
];

const PATHS: readonly (readonly [RegExp, StoredKind])[] = [
  [/^\/v1\/responses\/([^/]+)(?:\/(cancel|input_items))?$/, "response"],
  [/^\/v1\/files(?:\/([^/]+)(?:\/(content))?)?$/, "file"],
  [/^\/v1\/batches(?:\/([^/]+)(?:\/(cancel))?)?$/, "batch"],
];

const ACTIONS: Readonly<Record<StoredKind, Readonly<Record<string, StoredAction>>>> = {
  response: {
    "GET id": "read",
    "DELETE id": "delete",
    "POST id cancel": "cancel",
    "GET id input_items": "list-input",
  },
  file: { POST: "create", GET: "list", "GET id": "read", "DELETE id": "delete", "GET id content": "content" },
  batch: { POST: "create", GET: "list", "GET id": "read", "POST id cancel": "cancel" },
};

/** Null = the path is another one. */
export function findStored(method: string, path: string): StoredRoute | null {
  for (const [pattern, kind] of PATHS) {
    const found = pattern.exec(path);
    if (!found) continue;
    const [, id, suffix] = found;
    const action = ACTIONS[kind][[method, ...(id === undefined ? [] : ["id"]), ...(suffix ? [suffix] : [])].join(" ")];
    if (!action) return null;
    const operation = kind === "response" ? "chat" : null;
    return { kind, id: decodeId(id ?? ""), action, operation, suffix: suffix ? `/${suffix}` : "" };
  }
  return null;
}

/** "" = no id. */
function decodeId(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

export function pathOf({ kind, id, suffix }: Pick<StoredRoute, "kind" | "id" | "suffix">): string {
  const folder = { response: "responses", file: "files", batch: "batches" }[kind];
  return `/v1/${folder}/${encodeURIComponent(id)}${suffix}`;
}

export function formOf({ kind, action }: StoredRoute, query: string): StoredForm {
  if (action === "content") return "bytes";
  const isStream = kind === "response" && action === "read" && new URLSearchParams(query).get("stream") === "true";
  return isStream ? "events" : "json";
}
