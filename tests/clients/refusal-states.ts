import type { Relay, RelaySetUp } from "../relay/harness";

/** What a caller needs for a refusal that waiting does not mend. */
export type RefusedAs = { key: string; model: string; text?: string };

type State = { status: number; anthropicStatus?: number; says: RegExp; make: (relay: Relay) => Promise<RefusedAs> };

export const MODEL = "fake-gpt";
/** Its only channel was switched off by the system, because it failed. */
const RESTING = "fake-resting";
/** Its only channel was switched off by an administrator. */
const SWITCHED_OFF = "fake-off";
const OF_OTHERS = "fake-elsewhere";
const UNPRICED = "fake-unpriced";
const past = Math.floor(Date.now() / 1_000) - 10;

export const REFUSING_SET_UP: RelaySetUp = {
  prices: [MODEL, RESTING, SWITCHED_OFF, OF_OTHERS].join(","),
  options: {
    GroupRatio: { default: 1, vip: 2 },
    UserUsableGroups: { default: "default", vip: "vip", retired: "retired" },
    SensitiveWords: "forbiddenword",
    CheckSensitiveEnabled: true,
    CheckSensitiveOnPromptEnabled: true,
  },
  channels: [
    { models: `${MODEL},${UNPRICED}` },
    { models: RESTING, status: 3 },
    { models: SWITCHED_OFF, status: 2 },
    { models: OF_OTHERS, group: "vip" },
  ],
};

type Users = Parameters<Relay["addUser"]>[0];
type Tokens = Parameters<Relay["addToken"]>[1];

const caller =
  (user: Users, token: Tokens = {}, rest: Partial<RefusedAs> = {}) =>
  async (relay: Relay): Promise<RefusedAs> => ({
    key: (await relay.addToken(await relay.addUser(user), token)).key,
    model: MODEL,
    ...rest,
  });

/** Has used up its limit in an hour. */
async function limited(relay: Relay): Promise<RefusedAs> {
  const { key, model } = await caller({}, { rateLimitCount: 1, rateLimitSeconds: 3_600 })(relay);
  await relay.post(key, JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }));
  return { key, model };
}

/** Refusals that waiting does not mend, as a caller meets them. */
export const STATES: Readonly<Record<string, State>> = {
  "wrong key": {
    status: 401,
    says: /invalid API key/,
    make: async () => ({ key: `sk-${"x".repeat(48)}`, model: MODEL }),
  },
  "expired key": { status: 401, says: /expired/, make: caller({}, { expiredTime: past }) },
  "disabled key": { status: 401, says: /not available/, make: caller({}, { status: 2 }) },
  "used-up key": { status: 401, says: /used up/, make: caller({}, { unlimitedQuota: false, remainQuota: 0 }) },
  "key with too little": {
    status: 429,
    anthropicStatus: 402,
    says: /spending limit does not cover .* \$/,
    make: caller({}, { unlimitedQuota: false, remainQuota: 1 }),
  },
  "banned user": { status: 403, says: /banned/, make: caller({ status: 2 }) },
  "empty balance": {
    status: 429,
    anthropicStatus: 402,
    says: /balance does not cover .* \$.*\/topup/,
    make: caller({ balance: 0 }),
  },
  "used-up budget": {
    status: 429,
    says: /budget for this day .* of \$.* a new day begins at \d{4}-/,
    make: caller({ budgetDay: 1 }),
  },
  "hourly limit": { status: 429, says: /1 requests in 3600 seconds; the next is admitted in \d+ s/, make: limited },
  "more tokens than a minute allows": {
    status: 429,
    says: /too large/,
    make: caller({}, { tokensPerMinute: 1 }),
  },
  "unknown model": { status: 404, says: /does not exist/, make: caller({}, {}, { model: "nobody-has-it" }) },
  "model of another group": { status: 404, says: /not offered/, make: caller({}, {}, { model: OF_OTHERS }) },
  "model switched off": {
    status: 404,
    says: /switched off in the group/,
    make: caller({}, {}, { model: SWITCHED_OFF }),
  },
  "no channel": { status: 503, says: /no available channel/, make: caller({}, {}, { model: RESTING }) },
  "model not allowed": {
    status: 403,
    says: /may not use the model/,
    make: caller({}, { modelLimitsEnabled: true, modelLimits: "gpt-4o" }),
  },
  "address not allowed": { status: 403, says: /127\.0\.0\.1/, make: caller({}, { allowIps: "10.0.0.1" }) },
  "retired group": { status: 403, says: /retired/, make: caller({}, { group: "retired" }) },
  "content refused": {
    status: 400,
    says: /words that are not allowed/,
    make: caller({}, {}, { text: "forbiddenword" }),
  },
  "model without a price": {
    status: 400,
    says: /has no ratio|has no price/,
    make: caller({}, {}, { model: UNPRICED }),
  },
};
