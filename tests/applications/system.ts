import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import {
  type Asked,
  COMPLETION_TOKENS,
  PROMPT_TOKENS,
  type StrictUpstream,
  startStrictUpstream,
  type Turn,
} from "@/lib/testing/strict-upstream";
import { type Relay, startRelay } from "../relay/harness";

type SetUp = { type: keyof typeof CHANNEL_TYPE; models: string[]; answer: (asked: Asked) => Turn };
type System = {
  relay: Relay;
  upstream: StrictUpstream;
  /** Requests that the gateway did not serve. */
  refused: string[];
};

/** A gateway with one channel to a strict upstream that answers by a script. */
export function setUpSystem({ type, models, answer }: SetUp) {
  const system = { refused: [] as string[] } as System;
  beforeAll(async () => {
    system.upstream = await startStrictUpstream(answer);
    system.relay = await startRelay({ prices: models.join(",") });
    system.relay.gateway.server.prependListener("request", ({ method, url }, response) => {
      response.once("finish", () => {
        if (response.statusCode >= 400) system.refused.push(`${method} ${url}: ${response.statusCode}`);
      });
    });
    const baseUrl = system.upstream.url;
    await system.relay.addChannel({ type: CHANNEL_TYPE[type], baseUrl, models: models.join(",") });
    await system.relay.inForce();
  });
  afterEach(async () => {
    expect(system.upstream.faults).toEqual([]);
    expect(system.refused).toEqual([]);
    expect(await system.relay.differences()).toEqual([]);
  });
  afterAll(async () => {
    await system.relay?.close();
    await system.upstream?.close();
  });

  /** Every request to the upstream was logged and charged, none failed. */
  async function expectCharged(user: number, model: string): Promise<void> {
    const { relay, upstream } = system;
    await expect.poll(async () => (await relay.logsOf(user)).length).toBe(upstream.asked.length);
    for (const row of await relay.logsOf(user)) {
      expect(row).toMatchObject({ type: 2, model, prompt: PROMPT_TOKENS, completion: COMPLETION_TOKENS });
    }
    const quota = upstream.asked.length * (PROMPT_TOKENS + 2 * COMPLETION_TOKENS);
    expect((await relay.balanceOf(user)).used).toBe(quota);
  }

  /** What may have gone wrong, with what the application said. */
  const explain = (errors: string) => [errors, ...system.upstream.faults, ...system.refused].join("\n");

  return Object.assign(system, { expectCharged, explain });
}
