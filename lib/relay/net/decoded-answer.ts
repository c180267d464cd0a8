import zlib from "node:zlib";

/** What upstreams compress their answers by although they are asked for none. */
const OPENERS: ReadonlyMap<string, string> = new Map([
  ["gzip", "createGunzip"],
  ["x-gzip", "createGunzip"],
  ["deflate", "createInflate"],
  ["br", "createBrotliDecompress"],
  ["zstd", "createZstdDecompress"],
]);
/** An answer may grow this much: real JSON compresses five to twenty times. */
const RATIO_MAX = 200;
/** Smaller results are never refused for their ratio. */
const ALWAYS_ALLOWED = 4 * 1_048_576;

type Stream = NodeJS.ReadWriteStream & { destroy(): void };
/** The attempt whose answer it is. */
type Listener = {
  readonly isOver: boolean;
  take(bytes: Buffer): void;
  complete(): void;
  stop(error: Error): void;
  goOn(): void;
};

/** What decompresses an answer of this encoding; null = it is plain. */
export function decodedFor(encoding: string | undefined, listener: Listener): DecodedAnswer | null {
  if (encoding === undefined) return null;
  const name = encoding.trim().toLowerCase();
  return name === "" || name === "identity" ? null : new DecodedAnswer(name, listener);
}

/** Decompresses an answer while it arrives, within bounds. */
export class DecodedAnswer {
  private readonly stream: Stream | null;
  private readonly listener: Listener;
  private given = 0;
  private made = 0;

  constructor(encoding: string, listener: Listener) {
    this.listener = listener;
    const open: unknown = Reflect.get(zlib, OPENERS.get(encoding) ?? "");
    this.stream = typeof open === "function" ? (open() as Stream) : null;
    this.stream?.on("data", (bytes: Buffer) => this.pass(bytes));
    this.stream?.on("end", () => {
      if (!listener.isOver) listener.complete();
    });
    this.stream?.on("error", () => listener.stop(new Error("the upstream's compressed answer is broken")));
  }

  /** False = wait until there is room. */
  take(bytes: Buffer): boolean {
    const { stream, listener } = this;
    if (!stream) {
      listener.stop(new Error("the upstream's response has an unknown encoding"));
      return true;
    }
    this.given += bytes.length;
    const hasRoom = stream.write(bytes);
    if (!hasRoom) stream.once("drain", () => listener.goOn());
    return hasRoom;
  }

  end(): void {
    if (this.stream) this.stream.end();
    else this.listener.complete();
  }

  close(): void {
    this.stream?.destroy();
  }

  private pass(bytes: Buffer): void {
    this.made += bytes.length;
    if (this.made > Math.max(ALWAYS_ALLOWED, this.given * RATIO_MAX)) {
      this.listener.stop(new Error("the upstream's compressed answer expands too much"));
      this.close();
      return;
    }
    this.listener.take(bytes);
  }
}
