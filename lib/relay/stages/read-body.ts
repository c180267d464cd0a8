import type { Exchange } from "../exchange";
import { RelayError } from "../relay-error";
import { decodeBody, isCompressed } from "./decode-body";

/** The client disconnected while sending the request, so there is nobody to respond to. */
export class ClientDisconnected extends Error {}

function tooLarge(bytesMax: number): RelayError {
  const message = `the request body is larger than ${Math.floor(bytesMax / 1_048_576)} MB`;
  return new RelayError(413, message, { type: "invalid_request_error", code: "request_too_large" });
}

/** Reads and decompresses the request body. Throws 413 as soon as it is too large, 415 for an unknown encoding. */
export function readBody(exchange: Exchange, bytesMax: number): Promise<Buffer> {
  const { request } = exchange;
  const encoding = request.headers["content-encoding"];
  const compressed = isCompressed(encoding) ? encoding : null;
  if (Number(request.headers["content-length"] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    request.on("data", (part: Buffer) => {
      bytes += part.length;
      if (bytes <= bytesMax) parts.push(part);
      else {
        parts.length = 0;
        reject(tooLarge(bytesMax));
      }
    });
    request.on("end", () => {
      exchange.whenGone(null);
      const body = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
      resolve(compressed === null ? body : decodeBody(body, compressed, bytesMax));
    });
    exchange.whenGone(() => reject(new ClientDisconnected()));
  });
}
