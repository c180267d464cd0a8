import { answer, refuse, sendJson } from "../answers";
import { type Act, EVERYWHERE, type Fault } from "../fault";

type RetryAfter = { name: string; header: () => Record<string, string> };

const seconds = (count: number): RetryAfter => ({
  name: `Retry-After ${count} s`,
  header: () => ({ "retry-after": String(count) }),
});
/** Dates have whole seconds. */
const date = (count: number): RetryAfter => ({
  name: `Retry-After as a date, ${count} s ahead`,
  header: () => ({ "retry-after": new Date(Date.now() + count * 1_000).toUTCString() }),
});

const failing = (status: number, isOnce: boolean, wait?: RetryAfter): Act => {
  return (call) => (isOnce && call.nth > 1 ? answer(call) : refuse(call, status, wait?.header()));
};

/** Longest wait for one Retry-After, in ms: the budget of a request. */
const WAIT_BUDGET_MS = 3_000;

function limited(status: number, wait?: RetryAfter): Fault[] {
  const name = `${status}${wait ? `, ${wait.name}` : ""}`;
  const waitMs: Fault["waitMs"] = (_times, setUp) => (setUp === "two" && !wait ? 0 : WAIT_BUDGET_MS);
  return [
    { name: `${name}, once`, act: failing(status, true, wait), isRescued: true, waitMs },
    {
      name: `${name}, for ever`,
      act: failing(status, false, wait),
      attemptsMax: 4,
      setUps: EVERYWHERE,
      waitMs,
      hasRetryAfter: !!wait,
    },
  ];
}

/** Far longer than the budget: it is not waited for. */
function limitedForLong(status: number, wait: RetryAfter): Fault {
  return {
    name: `${status}, ${wait.name}`,
    act: failing(status, false, wait),
    attemptsMax: 1,
    setUps: EVERYWHERE,
    hasRetryAfter: true,
  };
}

function refused(code: string, message: string): Act {
  const error = { message, type: "invalid_request_error", param: "messages", code };
  return (call) => sendJson(call, 400, JSON.stringify({ error }));
}

const brief: Fault[] = [500, 502, 503, 529].flatMap((status) => [
  { name: `${status}, once`, act: failing(status, true), isRescued: true },
  { name: `${status}, for ever`, act: failing(status, false), setUps: EVERYWHERE },
]);

const aboutTheRequest: Fault[] = [
  {
    name: "400, context length",
    act: refused("context_length_exceeded", "This model's maximum context length is 8192 tokens."),
    attemptsMax: 1,
    isFinal: "at the model",
    setUps: EVERYWHERE,
    reason: /maximum context length is 8192/,
  },
  {
    name: "400, content policy",
    act: refused("content_policy_violation", "Your request was rejected by our safety system."),
    attemptsMax: 1,
    isFinal: "everywhere",
    setUps: EVERYWHERE,
    reason: /rejected by our safety system/,
  },
];

const flapping: Fault = {
  name: "flapping: every other request fails",
  act: (call) => (call.nth % 2 === 1 ? refuse(call, 503) : answer(call)),
  isRescued: true,
  calls: 8,
};

export const statusFaults: Fault[] = [
  ...brief,
  ...limited(429),
  ...limited(429, seconds(1)),
  ...limited(429, date(2)),
  limitedForLong(429, seconds(30)),
  limitedForLong(429, date(30)),
  ...limited(503, seconds(1)),
  limitedForLong(503, seconds(30)),
  ...aboutTheRequest,
  flapping,
];
