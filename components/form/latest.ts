/**
 * Of several answers that are awaited, only that of the newest question counts: `only` wraps what is done with an answer,
 * `forget` drops those that are still to come.
 */
export function createLatest() {
  let newest = 0;
  return {
    only<Args extends unknown[]>(use: (...args: Args) => void): (...args: Args) => void {
      newest += 1;
      const own = newest;
      return (...args) => {
        if (own === newest) use(...args);
      };
    },
    forget(): void {
      newest += 1;
    },
  };
}
