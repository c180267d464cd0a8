import { describe, expect, test } from "vitest";
import { chooseChannel } from "../plan/choose-channel";
import { identify } from "./identity";
import { Load } from "./load";
import { type Known, lotAt, Preference } from "./preference";
import { WarmPlaces } from "./warm-places";

const MINUTE = 60_000;
const WARM_MS = 5 * MINUTE;
const ANSWERED = { outcome: "answered", report: {} };
const START = 1_700_000_000_000;

function process(now = START) {
  const clock = { now };
  const known: Known = { places: new WarmPlaces(), channels: new Load(), keys: new Load(), now: () => clock.now };
  return { clock, known };
}

const channel = (id: number, weight = 0) => ({ id, weight });
const conversation = { cacheKey: "", user: "", opening: () => ({ instructions: [], question: [] }) };

function identity(cacheKey: string, userId = 1) {
  const found = identify({
    userId,
    model: "m",
    headers: {},
    conversation: { ...conversation, cacheKey },
    promptBytes: 0,
  });
  if (!found) throw new Error("no identity");
  return found;
}

function turn(known: Known, cacheKey: string, isDiscounted = true): Preference {
  return new Preference(known, identity(cacheKey), WARM_MS, isDiscounted);
}

type Choosing = { tiers: { id: number; weight: number }[][]; tried?: number[]; open?: number[] };

function choose(preference: Preference, { tiers, tried = [], open = [] }: Choosing): number | undefined {
  return chooseChannel({
    tiers,
    attempt: 0,
    tried: new Set(tried),
    isOpen: (id) => open.includes(id),
    // What the weights would take: the last channel.
    random: () => 0.999,
    prefer: preference.choose,
  })?.id;
}

/** A whole turn: the channel that is chosen answers. */
function answer(preference: Preference, choosing: Choosing, cachedTokens = 0): number {
  const id = choose(preference, choosing) ?? 0;
  preference.asks(id, 0, true);
  preference.ended(ANSWERED, { cachedTokens });
  preference.leave();
  return id;
}

describe("affinity: the draw of a conversation", () => {
  test("conversations fall on channels in proportion to their weights", () => {
    const { known } = process();
    const tiers = [[channel(1), channel(2, 20), channel(3, 50)]];
    const counts = new Map<number, number>();
    for (let i = 0; i < 10_000; i++) {
      const id = choose(turn(known, `c${i}`), { tiers }) ?? 0;
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    for (const [id, share] of [
      [1, 0.1],
      [2, 0.3],
      [3, 0.6],
    ] as const) {
      expect((counts.get(id) ?? 0) / 10_000).toBeGreaterThan(share - 0.02);
      expect((counts.get(id) ?? 0) / 10_000).toBeLessThan(share + 0.02);
    }
  });

  test("the first choice is the same in every process, and a channel that leaves moves only its own conversations", () => {
    const all = [channel(1), channel(2), channel(3)];
    let moved = 0;
    for (let i = 0; i < 300; i++) {
      const before = choose(turn(process().known, `c${i}`), { tiers: [all] });
      expect(choose(turn(process().known, `c${i}`), { tiers: [all] })).toBe(before);
      const after = choose(turn(process().known, `c${i}`), { tiers: [all.filter(({ id }) => id !== 2)] });
      if (before === 2) moved += 1;
      else expect(after).toBe(before);
    }
    expect(moved).toBeGreaterThan(60);
  });

  test("one conversation is not bound for ever: its lot is drawn anew every hour", () => {
    const tiers = [[channel(1), channel(2)]];
    const drawn = Array.from({ length: 48 }, (_, hour) =>
      choose(turn(process(START + hour * 60 * MINUTE).known, "c"), { tiers }),
    );
    expect(new Set(drawn).size).toBe(2);
    const { lot } = identity("c");
    const changes = Array.from({ length: 120 }, (_, minute) => lotAt(lot, START + minute * MINUTE, 60 * MINUTE));
    expect(new Set(changes).size).toBeLessThanOrEqual(3);
  });
});

describe("affinity: a preference that decays, never a filter", () => {
  const tiers = [[channel(1), channel(2)]];

  test("the channel that answered last is preferred while its cache is warm; each answer renews that", () => {
    const { known, clock } = process();
    const drawn = choose(turn(known, "c"), { tiers }) ?? 0;
    const other = 3 - drawn;
    expect(answer(turn(known, "c"), { tiers, open: [drawn] })).toBe(other);
    for (let i = 0; i < 3; i++) {
      clock.now += WARM_MS - 1;
      expect(answer(turn(known, "c"), { tiers })).toBe(other);
    }
    clock.now += WARM_MS;
    expect(choose(turn(known, "c"), { tiers })).toBe(
      [1, 2].find((id) => id === choose(turn(process(clock.now).known, "c"), { tiers })),
    );
    expect(turn(known, "c").kept()).toBeNull();
  });

  test("never a lower priority, an open circuit, a channel that was tried, or one that is gone", () => {
    const { known } = process();
    const warm = answer(turn(known, "c"), { tiers });
    const other = 3 - warm;
    expect(choose(turn(known, "c"), { tiers: [[channel(other)], [channel(warm)]] })).toBe(other);
    expect(choose(turn(known, "c"), { tiers, open: [warm] })).toBe(other);
    expect(choose(turn(known, "c"), { tiers, tried: [warm] })).toBe(other);
    expect([3, 4]).toContain(choose(turn(known, "c"), { tiers: [[channel(3), channel(4)]] }));
    expect(choose(turn(known, "c"), { tiers: [[channel(warm)]], open: [warm] })).toBe(warm);
  });

  test("where cached tokens cost as much as others, only a cache that was reported counts", () => {
    const { known } = process();
    // By weight: the last channel.
    expect(answer(turn(known, "c", false), { tiers: [[channel(2), channel(1)]] })).toBe(1);
    expect(choose(turn(known, "c", false), { tiers })).toBe(2);
    answer(turn(known, "c", false), { tiers: [[channel(2), channel(1)]] }, 1_024);
    expect(choose(turn(known, "c", false), { tiers })).toBe(1);
  });

  test("a channel that broke off its answer is not preferred", () => {
    const { known } = process();
    const warm = answer(turn(known, "c"), { tiers });
    turn(known, "c").ended({ outcome: "cut", report: {} }, { cachedTokens: 0 });
    expect(known.places.size).toBe(0);
    expect(choose(turn(known, "c"), { tiers })).toBe(warm);
  });

  test("one conversation with many requests at once leaves a channel at half again its share", () => {
    const { known } = process();
    const counts = [0, 0, 0, 0, 0];
    const channels = [channel(1), channel(2), channel(3), channel(4)];
    for (let i = 0; i < 200; i++) {
      const preference = turn(known, "giant");
      const id = choose(preference, { tiers: [channels] }) ?? 0;
      preference.asks(id, 0, true);
      preference.ended(ANSWERED, { cachedTokens: 0 });
      counts[id] = (counts[id] ?? 0) + 1;
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual(1.5 * 0.25 * 201);
    expect(counts.reduce((sum, count) => sum + count)).toBe(200);
  });

  test("requests that ended leave nothing behind", () => {
    const { known } = process();
    for (let i = 0; i < 50; i++) answer(turn(known, "c"), { tiers });
    expect(known.channels.withRoom([channel(1), channel(2)], () => 1)).toHaveLength(2);
    expect(JSON.stringify([...Object.values(known.channels)].map((map) => [...(map as Map<number, number>)]))).toBe(
      "[[]]",
    );
  });
});

describe("affinity: keys of a channel", () => {
  const keys = [{ id: 7 }, { id: 8 }, { id: 9 }];

  test("a conversation keeps its key; keys share the conversations evenly", () => {
    const { known } = process();
    const counts = new Map<number, number>();
    for (let i = 0; i < 3_000; i++) {
      const key = turn(known, `c${i}`).chooseKey(1, keys)?.id ?? 0;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    for (const { id } of keys) expect(Math.abs((counts.get(id) ?? 0) - 1_000)).toBeLessThan(120);
    const first = turn(known, "c");
    const key = first.chooseKey(1, keys)?.id ?? 0;
    const other = keys.find(({ id }) => id !== key)?.id ?? 0;
    first.asks(1, other, true);
    first.ended(ANSWERED, { cachedTokens: 0 });
    first.leave();
    expect(turn(known, "c").chooseKey(1, keys)?.id).toBe(other);
    expect(turn(known, "c").chooseKey(2, keys)?.id).toBe(key);
    expect(
      turn(known, "c").chooseKey(
        1,
        keys.filter(({ id }) => id !== other),
      )?.id,
    ).toBe(key);
  });

  test("what is said to be kept is the same channel and key, asked first, by a preference that could have been otherwise", () => {
    const { known } = process();
    const channels = [channel(1), channel(2)];
    const first = turn(known, "c");
    expect(answer(first, { tiers: [channels] })).toBeGreaterThan(0);
    expect(first.kept()).toBeNull();
    const second = turn(known, "c");
    const id = second.choose(channels)?.id ?? 0;
    second.asks(id, 0, true);
    expect(second.kept()).toEqual({ by: "prompt_cache_key", isHit: true, chance: 0.5 });
    second.asks(3 - id, 0, false);
    expect(second.kept()).toMatchObject({ isHit: false, chance: 1 });
    // Another channel was asked beside it, and was slower.
    second.asks(id, 0, true);
    expect(second.kept()).toMatchObject({ isHit: true, chance: 0.5 });
    second.asks(id, 0, false);
    expect(second.kept()).toMatchObject({ isHit: false });
    const alone = turn(known, "c");
    alone.choose([channel(id)]);
    alone.asks(id, 0, true);
    expect(alone.kept()).toBeNull();
  });
});

describe("affinity: memory", () => {
  test("no number of conversations grows it beyond its bound; the oldest are forgotten first", () => {
    const places = new WarmPlaces(100);
    for (let key = 1; key <= 5_000; key++)
      places.remember(key, { channelId: 1, keyId: 0, at: START, hasCached: false });
    expect(places.size).toBeLessThanOrEqual(100);
    expect(places.find(4_951, START, WARM_MS)).not.toBeNull();
    expect(places.find(4_900, START, WARM_MS)).toBeNull();
  });
});
