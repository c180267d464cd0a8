import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

const CR = 0x0d;
const LF = 0x0a;

/**
 * Writes the chunks of a streamed response. `ServerResponse.write` makes four writes per chunk (length, line end,
 * bytes, line end) and joins them a tick later. Framing the chunk here takes one socket write, which saves a tenth of a
 * chunk's cost. Headers with the first chunk, and the end, still go through the response. So do all chunks that must
 * not go to the socket directly: for a pipelined request that has to wait for the previous response, an HTTP/1.0 client,
 * or while the response keeps what was written through it until the next tick (Node.js from 24.22: the chunks themselves).
 */
export class ChunkWriter {
  private readonly response: ServerResponse;
  /** Where the last chunk was written; its "drain" event signals that writing can continue. */
  private target: ServerResponse | Socket;
  private isBegun = false;

  constructor(response: ServerResponse) {
    this.response = response;
    this.target = response;
  }

  /** False = the buffer is full: wait for `onceDrained` before writing more. */
  write(bytes: Buffer): boolean {
    // An empty chunk would be the end of the body.
    if (bytes.length === 0) return true;
    const { response } = this;
    const { socket } = response;
    if (!this.isBegun || socket === null || !response.chunkedEncoding || response.writableCorked > 0) {
      this.isBegun = true;
      this.target = response;
      return response.write(bytes);
    }
    this.target = socket;
    return socket.write(frameChunk(bytes));
  }

  onceDrained(listener: () => void): void {
    this.target.once("drain", listener);
  }

  forget(listener: () => void): void {
    this.target.off("drain", listener);
  }
}

const HEX_DIGITS = Buffer.from("0123456789abcdef");

/**
 * Frames bytes as one chunk of a chunked body (RFC 9112 §7.1). Writes the length digit by digit, which is faster than
 * Buffer.write.
 */
function frameChunk(bytes: Buffer): Buffer {
  const { length } = bytes;
  let digits = 1;
  for (let rest = length >>> 4; rest > 0; rest >>>= 4) digits++;
  const start = digits + 2;
  const framed = Buffer.allocUnsafe(start + length + 2);
  for (let at = digits - 1, rest = length; at >= 0; at--, rest >>>= 4) framed[at] = HEX_DIGITS[rest & 15] as number;
  framed[digits] = CR;
  framed[digits + 1] = LF;
  framed.set(bytes, start);
  framed[start + length] = CR;
  framed[start + length + 1] = LF;
  return framed;
}
