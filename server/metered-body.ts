import type { IncomingMessage } from "node:http";
import { Transform, type TransformCallback } from "node:stream";
import { ConsoleRefusal } from "./console-refusal";

export type BodyLimits = {
  bytesMax: number;
  /** Longest silence of the client, and longest time for the whole body. */
  idleMs: number;
  wholeMs: number;
};

/** How much of a body is read before the console hears of the request. Most bodies are whole by then. */
const HELD_BYTES = 64 * 1_024;

/** Passes a body on while it keeps the limits; beyond them it fails with the refusal for the client. */
class MeteredBody extends Transform {
  private readonly limits: BodyLimits;
  private bytes = 0;
  private heardAt = Date.now();
  private readonly startedAt = Date.now();
  private readonly clock: NodeJS.Timeout;

  constructor(limits: BodyLimits) {
    super({ readableHighWaterMark: HELD_BYTES });
    this.limits = limits;
    this.clock = setInterval(() => this.check(), Math.min(limits.idleMs, limits.wholeMs) / 4);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.heardAt = Date.now();
    this.bytes += chunk.length;
    if (this.bytes > this.limits.bytesMax) done(new ConsoleRefusal(413));
    else {
      done(null, chunk);
      if (this.isFull()) this.emit("held");
    }
  }

  override _flush(done: TransformCallback): void {
    clearInterval(this.clock);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearInterval(this.clock);
    done(error);
  }

  private isFull(): boolean {
    return this.readableLength >= HELD_BYTES;
  }

  private check(): void {
    const now = Date.now();
    // While the buffer is full the client may not send.
    if (this.isFull()) this.heardAt = now;
    const { idleMs, wholeMs } = this.limits;
    if (now - this.heardAt >= idleMs || now - this.startedAt >= wholeMs) this.destroy(new ConsoleRefusal(408));
  }
}

export function declaredBytes(request: IncomingMessage): number {
  return Number(request.headers["content-length"] ?? 0);
}

/**
 * Reads a request's body up to 64 KB and returns it: whole, or as a stream if there is more. Until then the request costs
 * the console nothing, so that an idle client holds nothing that others need. Throws ConsoleRefusal.
 */
export async function openBody(request: IncomingMessage, limits: BodyLimits): Promise<Buffer | MeteredBody> {
  const body = new MeteredBody(limits);
  request.once("close", () => {
    if (!request.complete) body.destroy(new ConsoleRefusal(400));
  });
  request.pipe(body);
  await new Promise<void>((done, fail) => {
    body.once("held", done).once("finish", done).on("error", fail);
  });
  return body.writableFinished ? ((body.read() as Buffer | null) ?? Buffer.alloc(0)) : body;
}
