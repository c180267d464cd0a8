import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { RelayError } from "../relay-error";

const decoders: ReadonlyMap<string, (body: Buffer, limits: { maxOutputLength: number }) => Promise<Buffer>> = new Map([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
  ["br", promisify(brotliDecompress)],
]);

const type = "invalid_request_error";

/** Whether the body must be decompressed. Throws 415 for an unknown encoding. */
export function isCompressed(encoding: string | undefined): encoding is string {
  if (encoding === undefined || encoding === "" || encoding === "identity") return false;
  if (decoders.has(encoding.toLowerCase())) return true;
  throw new RelayError(415, "the encoding of the request body is not supported", { type });
}

/** Decompresses a body (contract §1.1). Throws 413 when the result exceeds `bytesMax`, 400 when the data is corrupt. */
export async function decodeBody(body: Buffer, encoding: string, bytesMax: number): Promise<Buffer> {
  const decoder = decoders.get(encoding.toLowerCase());
  if (!decoder) return body;
  try {
    return await decoder(body, { maxOutputLength: bytesMax });
  } catch (error) {
    const isTooLarge = (error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE";
    if (!isTooLarge) throw new RelayError(400, "the compressed request body is broken", { type });
    const message = `the request body is larger than ${Math.floor(bytesMax / 1_048_576)} MB`;
    throw new RelayError(413, message, { type, code: "request_too_large" });
  }
}
