/** Reads a body of one form. Like an Answer, it returns what the client may have now, and throws what an Answer throws. */
export type MediaReader = {
  push(bytes: Buffer): Buffer | null;
  end(): Buffer | null;
  /** Adds to the facts what has arrived of an answer that is not whole. */
  readSoFar?(): void;
  /** What is sent when the answer is paid. */
  ending(): Buffer;
};

/** More than this is no picture and no speech. */
export const MEDIA_BYTES_MAX = 512 * 1_048_576;

export function tooMuch(): Error {
  return new Error("the upstream's response is too large");
}

export const NOTHING = Buffer.alloc(0);

export function joined(parts: readonly Buffer[]): Buffer {
  const [only] = parts;
  return parts.length === 1 && only ? only : Buffer.concat(parts);
}
