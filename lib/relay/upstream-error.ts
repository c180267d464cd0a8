import type { WireError } from "./canonical/wire-error";

const MESSAGE_MAX = 1_000;
// Control characters and lone surrogates; NUL and lone surrogates cannot be stored in PostgreSQL.
const UNSTORABLE = /[\p{Cc}\p{Cs}]+/gu;

/** Cleans an upstream's text for display and storage, and limits its length. */
export function cleanText(text: string): string {
  return text.replace(UNSTORABLE, " ").slice(0, MESSAGE_MAX).trim();
}

function readObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function readText(value: unknown): string {
  return typeof value === "string" ? cleanText(value) : "";
}

/** Extracts the error from an upstream's failed response, in any known format (contract §4.6). */
export function readUpstreamError(status: number, body: Buffer): WireError {
  const fallback: WireError = {
    message: `bad response status code ${status}`,
    type: "upstream_error",
    param: String(status),
    code: "bad_response_status_code",
  };
  let json: Record<string, unknown>;
  try {
    json = readObject(JSON.parse(body.toString("utf8")));
  } catch {
    return fallback;
  }
  const error = readObject(json.error);
  const message = readText(error.message);
  if (message !== "") {
    const code = error.code;
    return {
      message,
      type: readText(error.type) || "upstream_error",
      param: readText(error.param) || null,
      code: typeof code === "number" ? code : readText(code) || null,
    };
  }
  const candidates = [
    json.message,
    json.msg,
    json.err,
    json.error_msg,
    json.error,
    readObject(json.header).message,
    readObject(readObject(json.response).error).message,
  ];
  return { ...fallback, message: candidates.map(readText).find((text) => text !== "") ?? fallback.message };
}
