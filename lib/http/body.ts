import { AppError } from "@/lib/errors";
import { assertPlainData } from "./plain-data";

/** An option can have a million characters; all other bodies are far smaller. */
const BODY_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Parses the body as a JSON object; an empty body is an empty object. Throws invalid for anything else or a body that
 * is too large.
 */
export async function readJsonBody(
  request: Request,
  bytesMax: number = BODY_BYTES_MAX,
): Promise<Record<string, unknown>> {
  const text = await readText(request, bytesMax);
  if (text.trim() === "") return {};
  const value = parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new AppError("invalid", "parametersInvalid");
  }
  assertPlainData(value);
  return value as Record<string, unknown>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError("invalid", "parametersInvalid", {}, error);
  }
}

/** The request body as text. Throws invalid as soon as more than `bytesMax` bytes have arrived. */
export async function readText(request: Request, bytesMax: number = BODY_BYTES_MAX): Promise<string> {
  if (!request.body) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const piece of request.body) {
    bytes += piece.byteLength;
    if (bytes > bytesMax) throw new AppError("invalid", "bodyTooLarge");
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}
