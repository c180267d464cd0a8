import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

export const canAsk = (): boolean => process.stdin.isTTY === true;

/** Asks at the terminal. With `isHidden` the answer is not shown. */
export async function ask(question: string, { isHidden = false } = {}): Promise<string> {
  let isSilent = false;
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (!isSilent) process.stderr.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  try {
    const answer = lines.question(question);
    isSilent = isHidden;
    return await answer;
  } finally {
    lines.close();
    if (isHidden) process.stderr.write("\n");
  }
}
