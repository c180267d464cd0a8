import { skipSpace } from "../base/json-splice";

export const WHOLE_BYTES_MAX = 64 * 1_048_576;
const ERROR_BYTES_MAX = 1_048_576;

/** Collects the chunks of a body up to a limit: 64 MiB, or 1 MiB for an error. */
export class BodyCollector {
  /** Chunks with more than white space. */
  pieces = 0;
  private readonly parts: Buffer[] = [];
  private bytes = 0;
  private readonly bytesMax: number;

  constructor(isError: boolean) {
    this.bytesMax = isError ? ERROR_BYTES_MAX : WHOLE_BYTES_MAX;
  }

  /** Throws when the limit is exceeded. */
  push(part: Buffer): void {
    this.bytes += part.length;
    if (this.bytes > this.bytesMax) throw new Error("the upstream's response is too large");
    this.parts.push(part);
    if (skipSpace(part, 0) < part.length) this.pieces += 1;
  }

  body(): Buffer {
    const [only] = this.parts;
    return this.parts.length === 1 && only ? only : Buffer.concat(this.parts);
  }
}
