// A price list comes from an address that root was talked into. It is huge, never ends, leads into the private network,
// or has prices that would make models free. Nothing of it is stored before root has seen and selected it; what is
// stored is what was shown, all or nothing; a price that is not there is never 0.
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { desc, like } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { auditEntries, channels, options } from "@/db/schema";
import { resolvePrice } from "@/lib/billing/price";
import type { ServiceContext } from "@/lib/context";
import { seal } from "@/lib/crypto";
import { saveOptions } from "@/lib/option/commands";
import { loadOptions } from "@/lib/option/queries";
import { applyPrices } from "@/lib/pricing/sync/commands";
import type { PriceChange } from "@/lib/pricing/sync/compare-prices";
import { exportPrices } from "@/lib/pricing/sync/export-queries";
import { comparePriceList } from "@/lib/pricing/sync/preview-queries";
import type { PriceTuple } from "@/lib/pricing/sync/schemas";
import { toTuple } from "@/lib/pricing/sync/to-tuple";
import { type Person, setUpApi } from "../api/harness";

const api = setUpApi();
const TIMEOUT_MS = 300;

let answer: RequestListener = (_request, response) => void response.end("{}");
let server: Server;
let url = "";

beforeAll(async () => {
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/prices`;
  await api.database.db
    .insert(channels)
    .values({ name: "one", type: 1, models: "gpt-4o,new-model", group: "default", keyCipher: seal("sk") });
});
afterAll(() => void server.close());
beforeEach(() => api.database.db.delete(options));

const as = ({ id, username }: Person, role: number): ServiceContext => ({
  db: api.database.db,
  sql: api.database.sql,
  clientIp: "203.0.113.9",
  actor: { type: "user", id, username, role, group: "default", via: "session" },
});
const root = () => as(api.root, 100);
const serve = (value: unknown) => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  answer = (_request, response) => void response.setHeader("content-type", "application/json").end(text);
};
const compare = (from = url) => comparePriceList(root(), { url: from }, { timeoutMs: TIMEOUT_MS });
const maps = (model_ratio: Record<string, number>, more = {}) => ({ model_ratio, ...more });
const stored = async () => api.database.db.select({ key: options.key, value: options.value }).from(options);
const tuples = (changes: PriceChange[]): PriceTuple[] => changes.map(toTuple);

describe("a comparison", () => {
  test("shows what is new and what changes, with the price that no list entry is silent about, and writes nothing", async () => {
    serve(maps({ "gpt-4o": 2, "new-model": 1, "gpt-4.1": 1 }, { completion_ratio: { "gpt-4o": 4, "new-model": 3 } }));
    const { format, changes, unchanged, refused } = await compare();
    expect([format, unchanged, refused]).toEqual(["ratios", 1, []]);
    expect(changes.map(({ model, isServed }) => [model, isServed])).toEqual([
      ["gpt-4o", true],
      ["new-model", true],
    ]);
    expect(changes[0]).toMatchObject({
      before: { kind: "tokens", input: 2.5, output: 10, cached: 1.25 },
      after: { kind: "tokens", input: 4, output: 16, cached: 2 },
    });
    expect(changes[1]).toMatchObject({ before: null, after: { input: 2, output: 6, cached: 2, cacheWrite: 2.5 } });
    expect(await stored()).toEqual([]);
  });

  test("begins with the models that are served, and of those with the ones whose price changes", async () => {
    serve(maps({ "o1-new": 1, "gpt-4.1": 9, "new-model": 1, "gpt-4o": 9 }));
    expect((await compare()).changes.map(({ model }) => model)).toEqual(["gpt-4o", "new-model", "gpt-4.1", "o1-new"]);
  });

  test("is for root alone", async () => {
    serve(maps({ a: 1 }));
    for (const [person, role] of [
      [api.admin, 10],
      [api.alice, 1],
    ] as const) {
      await expect(comparePriceList(as(person, role), { url })).rejects.toMatchObject({ code: "forbidden" });
      const prices: PriceTuple[] = [["a", 1, null, null, null, null]];
      await expect(applyPrices(as(person, role), { state: "0".repeat(64), prices })).rejects.toMatchObject({
        code: "forbidden",
      });
    }
  });

  test("50 MB are not read to their end", async () => {
    let sent = 0;
    answer = (_request, response) => {
      const part = Buffer.alloc(1_024 * 1_024, 0x20);
      const more = () => {
        while (sent < 50 && !response.destroyed) {
          sent += 1;
          if (!response.write(part)) return void response.once("drain", more);
        }
        response.end();
      };
      more();
    };
    await expect(comparePriceList(root(), { url })).rejects.toMatchObject({ messageKey: "egressTooLarge" });
    expect(sent).toBeLessThan(50);
    answer = (_request, response) => void response.writeHead(200, { "content-length": 50_000_000 }).write("{");
    await expect(compare()).rejects.toMatchObject({ messageKey: "egressTooLarge" });
  });

  test.each([
    ["says nothing", (() => undefined) as RequestListener],
    [
      "stops in the middle",
      ((_request, response) => void response.writeHead(200).write('{"model_ratio":')) as RequestListener,
    ],
  ])("a server that %s is given up", async (_what, listener) => {
    answer = listener;
    await expect(compare()).rejects.toMatchObject({ code: "upstream", messageKey: "egressTimeout" });
  });

  test.each(["http://169.254.169.254/latest/meta-data", "http://10.0.0.1/", "http://[::1]:1/", "file:///etc/passwd"])(
    "a redirect to %s is not followed",
    async (target) => {
      answer = (_request, response) => void response.writeHead(302, { location: target }).end();
      await expect(compare()).rejects.toMatchObject({
        messageKey: expect.stringMatching(/^egress(Blocked|UrlInvalid)$/),
      });
    },
  );

  test.each(["http://169.254.169.254/", "http://user:pass@example.com/", "ftp://example.com/", "x", " "])(
    "the address %s is refused",
    async (address) => {
      await expect(compare(address)).rejects.toMatchObject({ code: "invalid" });
    },
  );

  test("a page, an error and 100,000 entries are no price lists", async () => {
    serve("<!doctype html><h1>Sign in</h1>");
    await expect(compare()).rejects.toMatchObject({ messageKey: "priceListNotJson" });
    answer = (_request, response) => void response.writeHead(404).end("{}");
    await expect(compare()).rejects.toMatchObject({ messageKey: "priceListStatus", params: { status: 404 } });
    serve(maps(Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`m${index}`, 1]))));
    await expect(comparePriceList(root(), { url })).rejects.toMatchObject({ messageKey: "priceListTooLong" });
  });
});

describe("applying", () => {
  const pricesOf = async (model: string) => resolvePrice(model, 1, await loadOptions(api.database.db));

  test("sets dollars of the list at the rate that was said, and a rate that is none is refused", async () => {
    serve(maps({ "by-tokens": 2 }, { completion_ratio: { "by-tokens": 4 }, model_price: { "by-call": 0.1 } }));
    const { rate, state, changes } = await comparePriceList(root(), { url, rate: 7.3 });
    expect(rate).toBe(7.3);
    expect(changes.find(({ model }) => model === "by-tokens")?.after).toMatchObject({ input: 29.2, output: 116.8 });
    await applyPrices(root(), { state, prices: tuples(changes) });
    expect(await pricesOf("by-tokens")).toMatchObject({ modelRatio: 14.6, completionRatio: 4 });
    expect(await pricesOf("by-call")).toMatchObject({ modelPrice: 0.73 });
    for (const wrong of [0, -1, Number.NaN, 1e9])
      await expect(comparePriceList(root(), { url, rate: wrong })).rejects.toMatchObject({ code: "invalid" });
  });

  test("sets what was selected and shown, keeps all others, and is in the audit log", async () => {
    await saveOptions(root(), [
      { key: "ModelRatio", value: '{"mine":7,"becomes-call":3}' },
      { key: "CompletionRatio", value: '{"mine":2,"becomes-call":5}' },
      { key: "ModelPrice", value: '{"becomes-tokens":0.5}' },
    ]);
    serve({
      format: "weir-prices",
      models: {
        "gpt-4o": { ratio: 3, completion: 1 / 3, cache: 0.1, create_cache: 2 },
        "becomes-call": { price: 0.25 },
        "becomes-tokens": { ratio: 0.7, completion: 3 },
        "not-selected": { ratio: 1 },
      },
    });
    const { state, changes } = await compare();
    const selected = changes.filter(({ model }) => model !== "not-selected");
    expect(await applyPrices(root(), { state, prices: tuples(selected) })).toEqual({ count: 3 });
    expect(await pricesOf("gpt-4o")).toMatchObject({ modelRatio: 3, cacheRatio: 0.1, createCacheRatio: 2 });
    expect((await pricesOf("gpt-4o"))?.completionRatio).toBeCloseTo(1 / 3, 11);
    expect(await pricesOf("becomes-call")).toMatchObject({ modelPrice: 0.25 });
    expect(await pricesOf("becomes-tokens")).toMatchObject({ modelPrice: null, modelRatio: 0.7, completionRatio: 3 });
    expect(await pricesOf("mine")).toMatchObject({ modelRatio: 7, completionRatio: 2 });
    expect(await pricesOf("not-selected")).toBeNull();
    const maps = Object.fromEntries((await stored()).map(({ key, value }) => [key, JSON.parse(value)]));
    expect(maps.ModelRatio).toEqual({ mine: 7, "gpt-4o": 3, "becomes-tokens": 0.7 });
    expect(maps.CompletionRatio).not.toHaveProperty("becomes-call");
    const log = await api.database.db
      .select()
      .from(auditEntries)
      .where(like(auditEntries.subject, "option:Model%"))
      .orderBy(desc(auditEntries.id));
    expect(log[0]).toMatchObject({ action: "option.set", actorId: api.root.id });
    // A second comparison has nothing left to say about them.
    expect((await compare()).changes.map(({ model }) => model)).toEqual(["not-selected"]);
  });

  test("what one Weir exports changes nothing where it is in force, and sets the same prices elsewhere", async () => {
    await saveOptions(root(), [
      { key: "ModelRatio", value: '{"mine":0.3}' },
      { key: "CreateCacheRatio", value: '{"gpt-4o":2}' },
      { key: "ModelPrice", value: '{"drawn":0.07}' },
      { key: "ModelMeterPrices", value: '{"spoken":{"character":0.00002},"gpt-4o-mini":{"search":0.01}}' },
    ]);
    const exported = await exportPrices(root());
    serve(exported);
    expect(await compare()).toMatchObject({ format: "weir", changes: [], refused: [] });
    await api.database.db.delete(options);
    const { state, changes } = await compare();
    expect(changes.map(({ model }) => model).toSorted()).toEqual(["drawn", "gpt-4o", "gpt-4o-mini", "mine", "spoken"]);
    await applyPrices(root(), { state, prices: tuples(changes) });
    expect((await exportPrices(root())).models).toEqual(exported.models);
  });

  test("what a model then costs is what was shown, for any prices", async () => {
    const amounts = [0, 0.000_001, 0.07, 0.142857, 1, 3.3, 1_000_000];
    const entries = amounts.flatMap((input, at) =>
      amounts
        .filter((output) => input > 0 || output === 0)
        .map(
          (output, of) => [`m${at}-${of}`, { ratio: input / 2, completion: input === 0 ? 1 : output / input }] as const,
        ),
    );
    serve({ format: "weir-prices", models: Object.fromEntries(entries) });
    const { state, changes } = await compare();
    await applyPrices(root(), { state, prices: tuples(changes) });
    const again = await compare();
    expect(again.changes).toEqual([]);
    expect(again.unchanged + again.refused.length).toBe(entries.length);
  });

  test("when any price was changed in between, nothing is applied", async () => {
    serve(maps({ "new-model": 1 }));
    const { state, changes } = await compare();
    await saveOptions(root(), [{ key: "CompletionRatio", value: '{"another":2}' }]);
    const before = await stored();
    await expect(applyPrices(root(), { state, prices: tuples(changes) })).rejects.toMatchObject({
      code: "conflict",
      messageKey: "pricesChanged",
    });
    expect(await stored()).toEqual(before);
  });

  test("of two administrators who apply at once one is refused, and nothing is mixed", async () => {
    serve(maps({ a: 1, b: 1 }, { completion_ratio: { a: 2, b: 2 } }));
    const one = await compare();
    serve(maps({ a: 5, b: 5 }, { completion_ratio: { a: 9, b: 9 } }));
    const other = await compare();
    const results = await Promise.allSettled(
      [one, other].map(({ state, changes }) => applyPrices(root(), { state, prices: tuples(changes) })),
    );
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const [ratio, completion] = [await pricesOf("a"), await pricesOf("b")].map((price) => [
      price?.modelRatio,
      price?.completionRatio,
    ]);
    expect(ratio).toEqual(completion);
    expect([
      [1, 2],
      [5, 9],
    ]).toContainEqual(ratio);
  });

  test.each([
    ["no price", ["a", null, null, 1, null, null]],
    ["a negative price", ["a", null, -1, 1, null, null]],
    ["a price beyond reason", ["a", null, 1e308, 1, null, null]],
    ["a price of an answer whose prompt is free", ["a", null, 0, 1, null, null]],
    ["the name of a prototype", ["__proto__", null, 1, 1, null, null]],
    ["two names in one", ["a,b", null, 1, 1, null, null]],
  ] as [string, PriceTuple][])("%s is refused, with all that was selected beside it", async (_what, bad) => {
    serve(maps({ good: 1 }));
    const { state, changes } = await compare();
    await expect(applyPrices(root(), { state, prices: [...tuples(changes), bad] })).rejects.toMatchObject({
      code: "invalid",
    });
    expect(await stored()).toEqual([]);
  });

  test("one model twice is refused, as is an empty selection", async () => {
    serve(maps({ good: 1 }));
    const { state, changes } = await compare();
    const prices = tuples(changes);
    await expect(applyPrices(root(), { state, prices: [...prices, ...prices] })).rejects.toMatchObject({
      code: "invalid",
    });
    await expect(applyPrices(root(), { state, prices: [] })).rejects.toMatchObject({
      messageKey: "pricesNoneSelected",
    });
    expect(await stored()).toEqual([]);
  });
});
