import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import {
  type Asked,
  COMPLETION_TOKENS,
  PROMPT_TOKENS,
  type StrictUpstream,
  startStrictUpstream,
} from "@/lib/testing/strict-upstream";
import { type Relay, setUpRelay } from "../relay/harness";

export { COMPLETION_TOKENS, PROMPT_TOKENS, SENTENCE, THOUGHT } from "@/lib/testing/strict-upstream";

const families = [
  ["OpenAI's chat completions", "openai", "gpt-5.2"],
  ["Anthropic's messages", "anthropic", "claude-opus-4-5"],
  ["Google's generateContent", "gemini", "gemini-3-pro-preview"],
] as const;

/** What upstreams speak, and a model of theirs. */
export const upstreams = families.map(([name, , model]) => [name, model] as const);

const SLOWLY = { timeout: 10_000 };
const variantsOf = (model: string) => [model, `${model}-error-429`, `${model}-endless`];

export const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export const QUESTION = "Weather and time in Bern?";
export const NAMES = ["get_weather", "get_time"] as const;
export const PLACE = {
  type: "object" as const,
  properties: { place: { type: "string" as const } },
  required: ["place"],
  additionalProperties: false,
};
/** What the upstream writes where this schema is given. */
export const FORECAST = {
  type: "object" as const,
  properties: { place: { type: "string" as const }, degrees: { type: "number" as const } },
  required: ["place", "degrees"],
  additionalProperties: false,
};
export const FORECASTED = { place: "Bern", degrees: 7 };

export type Clients = Relay & {
  strict: StrictUpstream;
  /** A new user's key. */
  newKey: () => Promise<{ user: number; key: string }>;
  /** What was asked last. */
  lastAsked: () => Asked | undefined;
  /** Every request of the user was answered and charged as reported. */
  expectCharged: (user: number, requests: number) => Promise<void>;
  /** The one request was broken off, at the upstream too, and charged as delivered. */
  expectBrokenOff: (user: number) => Promise<void>;
};

/** A gateway with a channel to a strict upstream of each format. After every test, no request may have been refused there. */
export function setUpClients(): Clients {
  const models = families.flatMap(([, , model]) => variantsOf(model));
  const relay = setUpRelay({ prices: models.join(","), options: { StreamDrainSeconds: 0, RetryTimes: 0 } }) as Clients;
  beforeAll(async () => {
    const strict = await startStrictUpstream();
    for (const [, type, model] of families) {
      const names = variantsOf(model).join(",");
      await relay.addChannel({ type: CHANNEL_TYPE[type], baseUrl: strict.url, models: names });
    }
    await relay.inForce();
    Object.assign(relay, { strict, ...checksOf(relay, strict) });
  });
  afterEach(() => expect(relay.strict.faults.splice(0)).toEqual([]));
  afterAll(() => relay.strict?.close());
  return relay;
}

function checksOf(relay: Relay, strict: StrictUpstream) {
  return {
    async newKey() {
      const { user, token } = await relay.addCaller();
      return { user, key: token.key };
    },
    lastAsked: () => strict.asked.at(-1),
    async expectCharged(user: number, requests: number): Promise<void> {
      await expect.poll(async () => (await relay.logsOf(user)).length, SLOWLY).toBe(requests);
      const charged = { type: 2, prompt: PROMPT_TOKENS, completion: COMPLETION_TOKENS };
      for (const row of await relay.logsOf(user)) expect(row).toMatchObject(charged);
    },
    async expectBrokenOff(user: number): Promise<void> {
      await expect.poll(async () => (await relay.logsOf(user)).length, SLOWLY).toBe(1);
      const left = strict.asked.filter((asked) => asked.model.endsWith("-endless")).length;
      await expect.poll(strict.aborts, SLOWLY).toBe(left);
      const [row] = await relay.logsOf(user);
      expect(row).toMatchObject({ type: 2, stream: true });
      expect(row?.completion).toBeGreaterThan(0);
    },
  };
}

/** Collects the items of a stream. */
export { collect } from "@/lib/testing/async-items";
