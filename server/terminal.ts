const startedAt = performance.now();

export function elapsed(): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
}

/** Prints one line: elapsed time and message. */
export function say(message: string): void {
  process.stdout.write(`[${elapsed().padStart(7)}] ${message}\n`);
}
