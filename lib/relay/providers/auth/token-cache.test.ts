import { beforeEach, describe, expect, test } from "vitest";
import { TokenCache } from "./token-cache";

const HOUR = 3_600_000;
let now: number;
let cache: TokenCache;
let asked: number;
let failedRenewals: unknown[];

beforeEach(() => {
  now = 1_000;
  asked = 0;
  failedRenewals = [];
  cache = new TokenCache({ now: () => now, onRenewalFailed: (error) => failedRenewals.push(error) });
});

const fetch = (lifeMs = HOUR) => {
  asked += 1;
  return Promise.resolve({ value: `token-${asked}`, lifeMs });
};
const fail = () => {
  asked += 1;
  return Promise.reject(new Error(`failure ${asked}`));
};
const settled = () => new Promise((done) => setImmediate(done));

describe("an access token", () => {
  test("is fetched once for 100 callers that need it at the same time, and is at hand afterwards", async () => {
    const tokens = await Promise.all(Array.from({ length: 100 }, () => cache.get("a", fetch)));
    expect(new Set(tokens)).toEqual(new Set(["token-1"]));
    expect(cache.get("a", fetch)).toBe("token-1");
    expect(asked).toBe(1);
  });

  test("is another one for another key", async () => {
    await cache.get("a", fetch);
    expect(await cache.get("b", fetch)).toBe("token-2");
    expect(cache.get("a", fetch)).toBe("token-1");
  });

  test("is renewed five minutes before its end, by one caller, while all have the old one", async () => {
    await cache.get("a", fetch);
    now += HOUR - 300_001;
    cache.get("a", fetch);
    expect(asked).toBe(1);
    now += 2;
    for (let at = 0; at < 100; at++) expect(cache.get("a", fetch)).toBe("token-1");
    expect(asked).toBe(2);
    await settled();
    expect(cache.get("a", fetch)).toBe("token-2");
    expect(asked).toBe(2);
  });

  test("of a short life is renewed at half of it", async () => {
    await cache.get("a", () => fetch(2_000));
    now += 999;
    cache.get("a", fetch);
    expect(asked).toBe(1);
    now += 1;
    expect(cache.get("a", fetch)).toBe("token-1");
    expect(asked).toBe(2);
  });

  test("stays in use after a failed renewal until it ends, and the endpoint is left alone for a moment", async () => {
    await cache.get("a", fetch);
    now += HOUR - 100_000;
    expect(cache.get("a", fail)).toBe("token-1");
    await settled();
    expect(failedRenewals).toHaveLength(1);
    for (let at = 0; at < 10; at++) expect(cache.get("a", fail)).toBe("token-1");
    expect(asked).toBe(2);
    now += 3_000;
    expect(cache.get("a", fail)).toBe("token-1");
    expect(asked).toBe(3);
    await settled();
    now += 97_000;
    await expect(async () => cache.get("a", fail)).rejects.toThrow("failure 4");
  });

  test("counts its life from when it was asked for", async () => {
    await cache.get("a", () => {
      now += 5_000;
      return fetch(10_000);
    });
    now += 5_000;
    expect(await cache.get("a", fetch)).toBe("token-2");
  });
});

describe("a failure", () => {
  test("is told to all that wait, and remembered for a few seconds", async () => {
    const callers = await Promise.allSettled(Array.from({ length: 100 }, async () => cache.get("a", fail)));
    expect(callers.every(({ status }) => status === "rejected")).toBe(true);
    expect(() => cache.get("a", fail)).toThrow("failure 1");
    expect(asked).toBe(1);
    now += 3_000;
    expect(await cache.get("a", fetch)).toBe("token-2");
  });

  test("of one key is not another's", async () => {
    await expect(cache.get("a", fail)).rejects.toThrow();
    expect(await cache.get("b", fetch)).toBe("token-2");
  });
});

describe("a token that the upstream refuses", () => {
  test("is dropped, and another one is fetched once for all", async () => {
    const token = await cache.get("a", fetch);
    now += 10_000;
    expect(cache.refused("a", token)).toBe(true);
    expect(cache.refused("a", token)).toBe(true);
    expect(await Promise.all([cache.get("a", fetch), cache.get("a", fetch)])).toEqual(["token-2", "token-2"]);
    expect(cache.refused("a", token)).toBe(true);
    expect(cache.get("a", fetch)).toBe("token-2");
  });

  test("when it is new, it is kept, so that refused keys do not flood the token endpoint", async () => {
    const token = await cache.get("a", fetch);
    now += 9_999;
    expect(cache.refused("a", token)).toBe(false);
    expect(cache.get("a", fetch)).toBe(token);
  });
});
