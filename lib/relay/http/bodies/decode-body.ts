import zlib, { createBrotliDecompress, createGunzip, createInflate, type Gunzip } from "node:zlib";
import type { BodyShare } from "../../base/body-budget";
import { RelayError } from "../../base/relay-error";

const chunkSize = 65_536;
type Decoder = () => Pick<Gunzip, "end" | typeof Symbol.asyncIterator>;

/** Node has zstd from 22.15 and 23.8 on: https://nodejs.org/api/zlib.html#zlibcreatezstddecompressoptions. Undefined = this one is older. */
const openZstd: unknown = Reflect.get(zlib, "createZstdDecompress");
const zstd: [string, Decoder][] =
  typeof openZstd === "function" ? [["zstd", () => openZstd({ chunkSize }) as ReturnType<Decoder>]] : [];
const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ...zstd,
  ["gzip", () => createGunzip({ chunkSize })],
  ["x-gzip", () => createGunzip({ chunkSize })],
  ["deflate", () => createInflate({ chunkSize })],
  ["br", () => createBrotliDecompress({ chunkSize })],
]);

/** How much a body may grow: real JSON compresses five to twenty times. */
const RATIO_MAX = 100;
/** Smaller results are never refused for their ratio. */
const ALWAYS_ALLOWED = 1_048_576;

/** Whether the body must be decompressed. Throws 415 for an unknown encoding. */
export function isCompressed(encoding: string | undefined): encoding is string {
  if (encoding === undefined || encoding === "" || encoding === "identity") return false;
  if (decoders.has(encoding.toLowerCase())) return true;
  const known = [...decoders.keys()].join(", ");
  const why =
    encoding.toLowerCase() === "zstd"
      ? `zstd needs Node 22.15 or later at the gateway, which runs ${process.version}; send the body as ${known}, or plain`
      : `the encoding of the request body is not supported; known are ${known}`;
  throw new RelayError("unsupported_encoding", why);
}

export function tooLarge(bytesMax: number): RelayError {
  const message = `the request body is larger than ${Math.floor(bytesMax / 1_048_576)} MB`;
  return new RelayError("request_too_large", message);
}

/**
 * Decompresses a body (contract §1.1). Throws 413 when the result exceeds `bytesMax` or is out of all proportion, 400
 * when the data is corrupt, 429 or 503 when the budget has no room for the result.
 */
export async function decodeBody(body: Buffer, encoding: string, bytesMax: number, share: BodyShare): Promise<Buffer> {
  const decoder = decoders.get(encoding.toLowerCase())?.();
  if (!decoder) return body;
  const inProportion = Math.max(ALWAYS_ALLOWED, body.length * RATIO_MAX);
  const parts: Buffer[] = [];
  let bytes = 0;
  decoder.end(body);
  try {
    for await (const part of decoder as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > bytesMax) throw tooLarge(bytesMax);
      if (bytes > inProportion) throw tooDense();
      share.add(part.length);
      parts.push(part);
    }
  } catch (error) {
    throw error instanceof RelayError
      ? error
      : new RelayError("invalid_request", "the compressed request body is broken");
  }
  return Buffer.concat(parts, bytes);
}

function tooDense(): RelayError {
  return new RelayError("request_too_large", "the compressed request body expands too much");
}
