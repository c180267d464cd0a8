import type { OperationId } from "@/lib/operations";
import type { StoredForm } from "../answers/stored-answer";

/** What is kept at an account of an upstream, and what is asked of it. */
export type StoredRoute = {
  kind: "response";
  id: string;
  action: "read" | "delete" | "cancel" | "list-input";
  /** What a key must be allowed to do; null = nothing in particular. */
  operation: OperationId | null;
  /** Behind the id. */
  suffix: string;
};

const RESPONSE = /^\/v1\/responses\/([^/]+)(?:\/(cancel|input_items))?$/;

const RESPONSE_ACTIONS: Readonly<Record<string, StoredRoute["action"]>> = {
  "GET ": "read",
  "DELETE ": "delete",
  "POST cancel": "cancel",
  "GET input_items": "list-input",
};

/** Null = the path is another one. */
export function findStored(method: string, path: string): StoredRoute | null {
  const found = RESPONSE.exec(path);
  const action = found && RESPONSE_ACTIONS[`${method} ${found[2] ?? ""}`];
  if (!action) return null;
  return {
    kind: "response",
    id: decodeId(found[1] ?? ""),
    action,
    operation: "chat",
    suffix: found[2] ? `/${found[2]}` : "",
  };
}

/** "" = no id. */
function decodeId(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

export function formOf({ action }: StoredRoute, query: string): StoredForm {
  return action === "read" && new URLSearchParams(query).get("stream") === "true" ? "events" : "json";
}
