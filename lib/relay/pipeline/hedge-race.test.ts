import { expect, test } from "vitest";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import type { Lane } from "../http/attempt/race";
import type { Exchange } from "../http/exchange";
import { createHedgePolicy, type HedgePolicy } from "./hedge-policy";
import { raceChannels } from "./hedge-race";
import { OUTRUN, type Tried } from "./try-channel";

type End = { resolve: (result: Tried) => void; reject: (error: Error) => void };
const FIRST = { id: 1 } as SnapshotChannel;
const SECOND = { id: 2 } as SnapshotChannel;
const runner = { wasSent: true, cancel: () => {} };

/** Two channels that are asked, and what settles each. */
async function askBoth() {
  const options = { HedgeSlowRequests: true, HedgeMaxShare: 100, HedgeLeastSeconds: 0.001 };
  const hedging = createHedgePolicy()(options) as HedgePolicy;
  hedging.share.count(100);
  for (let i = 0; i < 20; i++) hedging.times.add("1", 1, performance.now());
  const lanes: Lane[] = [];
  const ends: End[] = [];
  const released: number[] = [];
  const asked = raceChannels(
    {
      exchange: { whenGone: () => {} } as unknown as Exchange,
      hedging,
      timesOf: ({ id }) => String(id),
      limitMs: 1_000,
      choose: () => SECOND,
      ask(_channel, lane) {
        lane.start(runner, () => {});
        lanes.push(lane);
        return new Promise((resolve, reject) => ends.push({ resolve, reject }));
      },
      failed: ({ id }) => void released.push(id),
      notAsked: (channel) => void released.push(channel?.id ?? 0),
    },
    FIRST,
  );
  await expect.poll(() => ends.length, { timeout: 5_000 }).toBe(2);
  const [first, second] = ends as [End, End];
  return { asked, lane: lanes[0] as Lane, first, second, released };
}

test("an error of the one that leads is the request's, though the other one was not told yet that it lost", async () => {
  const { asked, lane, first, second } = await askBoth();
  lane.lead();
  first.reject(new Error("unexpected"));
  setTimeout(() => second.resolve(OUTRUN), 10);
  await expect(asked).rejects.toThrow("unexpected");
});

test("a channel that could not be asked after the other one failed leaves its place", async () => {
  const { asked, first, second, released } = await askBoth();
  first.resolve({ ...OUTRUN, retry: true });
  second.reject(new Error("not for this channel"));
  expect(await asked).toMatchObject({ channel: FIRST, result: { retry: true }, count: 2 });
  expect(released).toEqual([1, 2]);
});
