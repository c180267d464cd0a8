import type { Exchange } from "../exchange";
import { ChunkWriter } from "./chunk-writer";

const STREAM_HEADERS = { "cache-control": "no-cache", connection: "keep-alive", "x-accel-buffering": "no" };

/** The caller's side of a streamed answer: its head leaves with the first bytes. */
export class CallerStream {
  private readonly exchange: Exchange;
  private readonly writer: ChunkWriter;
  /** Milliseconds from the request to the first bytes of its answer; null = none have left. */
  firstTokenMs: number | null = null;

  constructor(exchange: Exchange) {
    this.exchange = exchange;
    this.writer = new ChunkWriter(exchange.response);
  }

  /** False = the caller takes it slower than it comes: write on once it has drained. */
  write(bytes: Buffer, contentType: string): boolean {
    if (this.firstTokenMs === null) {
      const { exchange } = this;
      this.firstTokenMs = exchange.elapsedMs();
      exchange.response.writeHead(200, {
        "content-type": contentType,
        ...STREAM_HEADERS,
        "x-oneapi-request-id": exchange.id,
      });
    }
    return this.writer.write(bytes);
  }

  onceDrained(listener: () => void): void {
    this.writer.onceDrained(listener);
  }

  forget(listener: () => void): void {
    this.writer.forget(listener);
  }
}
