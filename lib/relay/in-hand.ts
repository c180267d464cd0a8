/** Counts the requests in hand; `idle` resolves when there is none. */
export function createInHand() {
  let count = 0;
  let waiting: (() => void)[] = [];
  return {
    enter(): void {
      count += 1;
    },
    leave(): void {
      count -= 1;
      if (count > 0) return;
      for (const done of waiting) done();
      waiting = [];
    },
    idle: (): Promise<void> => (count === 0 ? Promise.resolve() : new Promise((done) => waiting.push(done))),
  };
}

export type InHand = ReturnType<typeof createInHand>;
