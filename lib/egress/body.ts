import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { AppError } from "@/lib/errors";

const DECODERS = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
} as const;

export function tooLarge(maxBytes: number): AppError {
  return new AppError("upstream", "egressTooLarge", { bytes: maxBytes });
}

/**
 * Reads a body of at most `maxBytes`; throws AppError "upstream" as soon as it is exceeded. `onBytes` is told of bytes before they are
 * kept, and may throw.
 */
export async function readBounded(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  onBytes?: (bytes: number) => void,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    onBytes?.(part.length);
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}

const nameOf = (encoding: string | undefined): string => (encoding ?? "").trim().toLowerCase();

export function isPacked(encoding: string | undefined): boolean {
  const name = nameOf(encoding);
  return name !== "" && name !== "identity";
}

/** Decompresses a body from a server that compresses although we ask for identity; the output is limited too. */
export async function decode(body: Buffer, encoding: string | undefined, maxBytes: number): Promise<Buffer> {
  const name = nameOf(encoding);
  if (body.length === 0 || !isPacked(encoding)) return body;
  const decoder = Object.hasOwn(DECODERS, name) ? DECODERS[name as keyof typeof DECODERS] : undefined;
  if (!decoder) throw new AppError("upstream", "egressFailed", { reason: `content-encoding ${name.slice(0, 40)}` });
  try {
    return await decoder(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(maxBytes);
    throw new AppError("upstream", "egressFailed", { reason: name }, error);
  }
}
