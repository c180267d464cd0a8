import type { Exchange } from "../exchange";
import { RelayError } from "../relay-error";

/** The caller left while sending; there is nobody to answer. */
export class CallerGone extends Error {}

function tooLarge(bytesMax: number): RelayError {
  const message = `the request body is larger than ${Math.floor(bytesMax / 1_048_576)} MB`;
  return new RelayError(413, message, { type: "invalid_request_error", code: "request_too_large" });
}

/** Reads the request body. Throws 413 as soon as it is known to be too large, 415 for a compressed one. */
export function readBody({ request, response }: Exchange, bytesMax: number): Promise<Buffer> {
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") {
    throw new RelayError(415, "compressed request bodies are not supported", { type: "invalid_request_error" });
  }
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
    const onClose = (): void => reject(new CallerGone());
    request.on("end", () => {
      response.off("close", onClose);
      resolve(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts));
    });
    response.on("close", onClose);
  });
}
