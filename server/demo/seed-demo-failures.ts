import type { usageLogs } from "@/db/schema";
import { errorCause } from "@/lib/billing/error-cause";
import { createRequestId } from "@/lib/relay/base";
import { LOG_TYPE } from "@/lib/row-status";

type Owner = { userId: number; username: string; group: string; tokenId: number; tokenName: string };

type Failure = {
  /** Share among all failures. */
  weight: number;
  status: number;
  code: string;
  text: (model: string, group: string) => string;
  /** A channel was asked. */
  isUpstream?: true;
  /** A model that no channel has. */
  asked?: string;
  /** Sometimes many at once, of which only some have a row. */
  isFlood?: true;
};

/** How many requests fail for each that succeeds. */
const SHARE = 0.035;

/** Texts as the relay words them. */
const FAILURES: readonly Failure[] = [
  {
    weight: 30,
    status: 429,
    code: "rate_limit_exceeded",
    text: () => "the upstream load of the current group is saturated, please try again later",
    isUpstream: true,
  },
  {
    weight: 18,
    status: 502,
    code: "bad_response_status_code",
    text: () => "bad response status code 502",
    isUpstream: true,
  },
  {
    weight: 10,
    status: 504,
    code: "upstream_timeout",
    text: () => "the upstream did not answer in time",
    isUpstream: true,
  },
  {
    weight: 14,
    status: 400,
    code: "context_length_exceeded",
    text: () =>
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 131472 tokens.",
    isUpstream: true,
  },
  {
    weight: 9,
    status: 429,
    code: "insufficient_quota",
    text: () => "the account's balance does not cover this request",
  },
  {
    weight: 7,
    status: 403,
    code: "model_not_allowed",
    text: (model) => `the API key may not use the model ${model}`,
  },
  {
    weight: 6,
    status: 503,
    code: "no_available_channel",
    text: (_model, group) => `no available channel for model o1-pro in group ${group}`,
    asked: "o1-pro",
    isFlood: true,
  },
  {
    weight: 3,
    status: 400,
    code: "model_price_error",
    text: () => "the model grok-9 has no price; an administrator has to set a price for it in the settings",
    asked: "grok-9",
  },
  { weight: 2, status: 403, code: "ip_not_allowed", text: () => "this address is not allowed for the API key" },
  {
    weight: 1,
    status: 400,
    code: "sensitive_words_detected",
    text: () => "the prompt contains words that are not allowed here",
  },
];

const WEIGHTS = FAILURES.reduce((sum, { weight }) => sum + weight, 0);

/** A failed request of the demo's month; null = this one did not fail. */
export function makeFailure(
  owner: Owner,
  { createdAt, modelName, channelId }: { createdAt: number; modelName: string; channelId: number },
  random: () => number,
): typeof usageLogs.$inferInsert | null {
  if (random() >= SHARE) return null;
  const failure = pick(random() * WEIGHTS);
  const { status, code, isUpstream, asked, isFlood } = failure;
  const content = failure.text(modelName, owner.group);
  const model = asked === undefined ? modelName : "";
  return {
    ...owner,
    // With its time, as the ids of real requests have it.
    requestId: createRequestId(createdAt * 1_000 + Math.floor(random() * 1_000)),
    createdAt,
    type: LOG_TYPE.error,
    channelId: isUpstream ? channelId : 0,
    modelName: model,
    quota: 0,
    cost: 0,
    unknownCosts: 0,
    useTimeMs: isUpstream
      ? 400 + Math.floor(random() * (status === 504 ? 60_000 : 3_000))
      : 1 + Math.floor(random() * 4),
    isStream: random() < 0.7,
    clientIp: `203.0.113.${owner.userId}`,
    content,
    statusCode: status,
    errorCode: code,
    errorCause: errorCause(content, asked ?? model),
    repeats: isFlood && random() < 0.3 ? Math.floor(random() * 90) : 0,
    other: {
      status_code: status,
      outcome: isUpstream ? "failed" : "refused",
      path: "/v1/chat/completions",
      ...(asked === undefined ? {} : { requested_model: asked }),
      ...(isUpstream ? { admin_info: { use_channel: [String(channelId)] } } : {}),
    },
  };
}

function pick(at: number): Failure {
  let left = at;
  for (const failure of FAILURES) {
    left -= failure.weight;
    if (left < 0) return failure;
  }
  return FAILURES[0] as Failure;
}
