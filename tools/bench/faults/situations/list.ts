import { type Asked, answer, answerWithoutPrefill, type Behaviour, type Pace, refuse } from "./upstream";
import type { Check } from "./verdict";

/** One of FailoverBench's situations, or one of ours that goes on with them. */
export type Situation = {
  id: string;
  title: string;
  primary: Behaviour;
  /** Default: it answers. */
  other?: Behaviour;
  /** What the caller should get. Default: the whole answer. */
  ideal?: "error";
  /** The longest that a call may take, in ms. */
  mostMs: number;
  /** Requests one after the other, so far apart. */
  series?: { count: number; everyMs: number };
  /** Takes longer than a quick run may. */
  isSlow?: boolean;
  checks: (pace: Pace) => readonly Check[];
};

const limited = { message: "Rate limit reached.", type: "rate_limit_error", code: "rate_limit_exceeded" };
const broken = { message: "The server had an error.", type: "server_error", code: null };
const overloaded = { message: "The engine is currently overloaded.", type: "server_error", code: "overloaded" };

const always =
  (status: number, refusal: Parameters<typeof refuse>[2], headers?: Record<string, string>): Behaviour =>
  (asked) =>
    refuse(asked, status, refusal, headers);

const once =
  (first: Behaviour): Behaviour =>
  (asked, pace) =>
    asked.nth === 1 ? first(asked, pace) : answer(asked, pace);

function reset({ request }: Asked): number {
  request.socket.resetAndDestroy();
  return 0;
}

async function silent({ response }: Asked, pace: Pace): Promise<number> {
  await new Promise<void>((done) => {
    const timer = setTimeout(done, pace.silenceMs).unref();
    response.once("close", () => {
      clearTimeout(timer);
      done();
    });
  });
  return 0;
}

const flawed =
  (flaw: Parameters<typeof answer>[2]): Behaviour =>
  (asked, pace) =>
    answer(asked, pace, flaw);

/** FailoverBench's catalogue (github.com/failoverbench/failoverbench, methodology 0.1): faults, bounds and checks are its own. */
export const situations: readonly Situation[] = [
  {
    id: "S01",
    title: "429 with Retry-After, once",
    primary: once((asked, pace) => refuse(asked, 429, limited, { "retry-after": String(pace.retryAfterMs / 1_000) })),
    mostMs: 20_000,
    checks: ({ retryAfterMs }) => [
      { kind: "primary at least", count: 2, isAdvice: true },
      { kind: "first gap at least", ms: retryAfterMs - 200, isAdvice: true },
      { kind: "primary within", ms: 1_500, count: 2 },
    ],
  },
  {
    id: "S02",
    title: "429 without Retry-After, for ever",
    primary: always(429, limited),
    mostMs: 40_000,
    checks: () => [
      { kind: "primary within", ms: 3_000, count: 4 },
      { kind: "primary at most", count: 6 },
    ],
  },
  {
    id: "S03",
    title: "500 once",
    primary: once(always(500, broken)),
    mostMs: 20_000,
    checks: () => [{ kind: "primary at least", count: 2, isAdvice: true }],
  },
  {
    id: "S04",
    title: "503 for ever",
    primary: always(503, overloaded),
    mostMs: 40_000,
    checks: () => [{ kind: "primary at most", count: 6 }],
  },
  { id: "S05", title: "reset before headers, once", primary: once(reset), mostMs: 20_000, checks: () => [] },
  {
    id: "S06",
    title: "no response at all",
    primary: silent,
    mostMs: 130_000,
    checks: ({ slackMs }) => [
      { kind: "ends within", ms: 100_000 + slackMs },
      { kind: "primary at most", count: 1, isAdvice: true },
    ],
  },
  {
    id: "S07",
    title: "slow first token",
    primary: flawed("slow"),
    mostMs: 60_000,
    checks: ({ slackMs }) => [{ kind: "ends within", ms: 15_000 + slackMs, isAdvice: true }],
  },
  {
    id: "S08",
    title: "stream cut in mid-answer",
    primary: flawed("cut"),
    mostMs: 40_000,
    checks: () => [{ kind: "not cut unseen" }],
  },
  {
    id: "S09",
    title: "stream stalls in mid-answer",
    primary: flawed("stall"),
    mostMs: 70_000,
    checks: ({ slackMs }) => [
      { kind: "ends within", ms: 45_000 + slackMs },
      { kind: "not cut unseen" },
      { kind: "well afterwards" },
    ],
  },
  {
    id: "S10",
    title: "malformed event in the stream",
    primary: flawed("malformed"),
    mostMs: 30_000,
    checks: () => [{ kind: "well afterwards" }, { kind: "not cut unseen" }, { kind: "whole", isAdvice: true }],
  },
  {
    id: "S11",
    title: "stream ends without [DONE]",
    primary: flawed("no end mark"),
    mostMs: 30_000,
    checks: ({ slackMs }) => [
      { kind: "ends within", ms: 8_000 + slackMs },
      { kind: "has usage", isAdvice: true },
    ],
  },
  {
    id: "S12",
    title: "context length exceeded",
    primary: always(400, {
      message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9631 tokens.",
      type: "invalid_request_error",
      code: "context_length_exceeded",
    }),
    mostMs: 20_000,
    checks: () => [{ kind: "primary at most", count: 1 }],
  },
  {
    id: "S13",
    title: "content refused",
    primary: always(400, {
      message: "Your request was rejected as a result of our safety system.",
      type: "invalid_request_error",
      code: "content_policy_violation",
    }),
    ideal: "error",
    mostMs: 20_000,
    checks: () => [{ kind: "primary at most", count: 1 }],
  },
  {
    id: "S14",
    title: "stream cut, and the next model refuses a prefill",
    primary: flawed("cut"),
    other: answerWithoutPrefill,
    mostMs: 40_000,
    checks: () => [{ kind: "no refused prefill seen" }, { kind: "not cut unseen" }],
  },
  {
    id: "S15",
    title: "down for a minute, a request every 4 s",
    primary: (asked, pace) => (asked.sinceMs < pace.downMs ? refuse(asked, 503, overloaded) : answer(asked, pace)),
    mostMs: 30_000,
    series: { count: 20, everyMs: 4_000 },
    checks: ({ downMs }) => [{ kind: "served while down" }, { kind: "recovered within", ms: 30_000, afterMs: downMs }],
  },
  {
    id: "S16",
    title: "the answer names who wrote it",
    primary: always(503, overloaded),
    mostMs: 40_000,
    checks: () => [
      { kind: "names the other model" },
      { kind: "has usage", isAdvice: true },
      { kind: "primary at most", count: 6 },
    ],
  },
  {
    id: "slow",
    title: "429 once, then a request every 5 s",
    primary: once(always(429, limited)),
    mostMs: 20_000,
    series: { count: 13, everyMs: 5_000 },
    isSlow: true,
    // Without a Retry-After the channel rests for 8 to 10 s.
    checks: () => [
      { kind: "primary at least", count: 9 },
      { kind: "recovered within", ms: 15_000, afterMs: 0 },
    ],
  },
];
