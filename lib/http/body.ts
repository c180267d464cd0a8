import { AppError } from "@/lib/errors";

/** An option can have a million characters; all other bodies are far smaller. */
const BODY_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Parses the body as a JSON object; an empty body is an empty object. Throws invalid for anything else or a body that
 * is too large.
 */
export async function readJsonBody(request: Request): Promise<Record<string, unknown>> {
  const text = await readText(request);
  if (text.trim() === "") return {};
  const value = parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new AppError("invalid", "parametersInvalid");
  }
  if (text.includes("\\u0000") && hasNul(value)) throw new AppError("invalid", "parametersInvalid");
  return value as Record<string, unknown>;
}

/** Whether any text in the value, property names included, contains NUL, which PostgreSQL cannot store. */
export function hasNul(value: unknown): boolean {
  // An explicit stack instead of recursion: a body may be nested deeper than the call stack allows.
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string" && next.includes("\u0000")) return true;
    if (typeof next !== "object" || next === null) continue;
    for (const [name, inner] of Object.entries(next)) open.push(name, inner);
  }
  return false;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError("invalid", "parametersInvalid", {}, error);
  }
}

/** The request body as text. Throws invalid when it is too large. */
export async function readText(request: Request): Promise<string> {
  if (!request.body) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const piece of request.body) {
    bytes += piece.byteLength;
    if (bytes > BODY_BYTES_MAX) throw new AppError("invalid", "bodyTooLarge");
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}
