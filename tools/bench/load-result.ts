/** One call. `failure` is null for a whole answer, otherwise a short reason; `example` is what came with it. */
export type Sample = { totalMs: number; firstByteMs: number; frames: number; failure: string | null; example: string };

export type Failures = Map<string, { count: number; example: string }>;

export type LoadResult = {
  answers: number;
  chunks: number;
  failures: number;
  p50Ms: number;
  p99Ms: number;
  firstByteP50Ms: number;
  firstByteP99Ms: number;
  /** By their reason. */
  reasons: Failures;
};

function percentile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function summarize(samples: readonly Sample[]): LoadResult {
  const good = samples.filter(({ failure }) => failure === null);
  const totals = good.map((sample) => sample.totalMs).sort((a, b) => a - b);
  const firsts = good.map((sample) => sample.firstByteMs).sort((a, b) => a - b);
  const reasons: Failures = new Map();
  for (const { failure, example } of samples) if (failure !== null) addFailure(reasons, failure, 1, example);
  return {
    answers: good.length,
    chunks: good.reduce((sum, sample) => sum + sample.frames, 0),
    failures: samples.length - good.length,
    p50Ms: percentile(totals, 0.5),
    p99Ms: percentile(totals, 0.99),
    firstByteP50Ms: percentile(firsts, 0.5),
    firstByteP99Ms: percentile(firsts, 0.99),
    reasons,
  };
}

export function addFailure(reasons: Failures, reason: string, count: number, example: string): void {
  const known = reasons.get(reason);
  reasons.set(reason, { count: (known?.count ?? 0) + count, example: known?.example || example });
}
