/** A piece of speech, every so many ms, and how many of them a response has. */
export const DELTA_MS = 100;
export const DELTAS = 50;

/** From the request for an answer to its first piece. */
export const THINKING_MS = { least: 200, most: 800 };

/**
 * Calls at `periodMs` by a clock of its own. The intervals of one process would fall into step with each other within minutes, because
 * those that are due in one turn of its loop are set again together; speakers on machines of their own never do.
 * Returns what stops it.
 */
export function every(periodMs: number, call: () => void): () => void {
  const begunAt = performance.now();
  let calls = 0;
  let timer: NodeJS.Timeout;
  const next = (): void => {
    calls += 1;
    timer = setTimeout(
      () => {
        next();
        call();
      },
      Math.max(0, begunAt + calls * periodMs - performance.now()),
    );
  };
  next();
  return () => clearTimeout(timer);
}

/** What each response reports: of its 5 s of speech, two tokens for each piece. */
export const USAGE = {
  total_tokens: 400,
  input_tokens: 300,
  output_tokens: 100,
  input_token_details: {
    text_tokens: 200,
    audio_tokens: 100,
    cached_tokens: 200,
    cached_tokens_details: { text_tokens: 150, audio_tokens: 50 },
  },
  output_token_details: { text_tokens: 0, audio_tokens: 2 * DELTAS },
};

export type SessionSum = {
  sentFrames: number;
  sent: string;
  receivedFrames: number;
  received: string;
  /** Responses that ended. */
  done: number;
};

export type Histogram = ReturnType<typeof delayBounds>;

const STEP_MS = 0.05;
const STEPS = 40_000;

/** Delays in steps of 0.05 ms, up to 2 s. */
export function delayBounds() {
  const counts = new Uint32Array(STEPS);
  let total = 0;
  let most = 0;
  return {
    add(ms: number): void {
      const at = Math.max(0, Math.min(STEPS - 1, Math.floor(ms / STEP_MS)));
      counts[at] = (counts[at] ?? 0) + 1;
      total += 1;
      most = Math.max(most, ms);
    },
    /** The delay in ms that this share did not exceed. */
    at(share: number): number {
      let seen = 0;
      for (let at = 0; at < STEPS; at++) {
        seen += counts[at] ?? 0;
        if (seen >= share * total) return (at + 1) * STEP_MS;
      }
      return most;
    },
    count: (): number => total,
    most: (): number => most,
  };
}
