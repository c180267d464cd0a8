import type { Exchange } from "../exchange";
import { ChunkWriter } from "./chunk-writer";

const STREAM_HEADERS = { "cache-control": "no-cache", connection: "keep-alive", "x-accel-buffering": "no" };

/** The client's side of a streamed response. Sends the headers with the first bytes. */
export class CallerStream {
  private readonly exchange: Exchange;
  private readonly writer: ChunkWriter;
  /** Milliseconds from the request to the first bytes of the response; null = none sent yet. */
  firstTokenMs: number | null = null;

  constructor(exchange: Exchange) {
    this.exchange = exchange;
    this.writer = new ChunkWriter(exchange.response);
  }

  /** False = the buffer is full: wait for `onceDrained` before writing more. */
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
    this.exchange.recording?.add(bytes);
    return this.writer.write(bytes);
  }

  onceDrained(listener: () => void): void {
    this.writer.onceDrained(listener);
  }

  forget(listener: () => void): void {
    this.writer.forget(listener);
  }
}
