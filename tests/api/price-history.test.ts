import { beforeEach, describe, expect, test } from "vitest";
import * as optionApi from "@/app/api/option/[[...path]]/route";
import type { ServiceContext } from "@/lib/context";
import { saveOptions } from "@/lib/option/commands";
import { loadOptions, readOptionTexts } from "@/lib/option/queries";
import { listPriceChanges } from "@/lib/pricing/history/queries";
import { undoPriceChange } from "@/lib/pricing/history/undo-commands";
import { applyPrices } from "@/lib/pricing/sync/commands";
import { PRICE_KEYS, stateOf } from "@/lib/pricing/sync/price-state";
import { call, type Person, setUpApi } from "./harness";

const api = setUpApi();

const as = ({ id, username }: Person, role: number): ServiceContext => ({
  db: api.database.db,
  sql: api.database.sql,
  clientIp: "203.0.113.9",
  actor: { type: "user", id, username, role, group: "default", via: "session" },
});
const root = () => as(api.root, 100);
const save = (values: Record<string, object>) =>
  saveOptions(
    root(),
    Object.entries(values).map(([key, value]) => ({ key, value: JSON.stringify(value) })),
  );
const ratios = async () => (await loadOptions(api.database.db)).ModelRatio;
const changes = async (name?: string) => (await listPriceChanges(root(), name === undefined ? {} : { name })).items;

beforeEach(async () => {
  await api.database.sql`truncate options, price_changes, price_change_entries`;
});

describe("the history of prices (A134)", () => {
  test("has who, when, from where, and old and new of each model; what one save changes is one change", async () => {
    await save({ ModelRatio: { one: 1, two: 2 }, CompletionRatio: { one: 4 } });
    await save({ ModelRatio: { one: 1.5, two: 2 } });
    const [newest, first] = await changes();
    expect(newest).toMatchObject({
      actorId: api.root.id,
      clientIp: "203.0.113.9",
      source: "editor",
      names: 1,
      entries: [{ key: "ModelRatio", name: "one", before: 1, after: 1.5 }],
    });
    expect(Math.abs((newest?.createdAt ?? 0) - Date.now() / 1000)).toBeLessThan(60);
    expect(first?.entries.map(({ key, name, before, after }) => [key, name, before, after])).toEqual([
      ["ModelRatio", "one", null, 1],
      ["ModelRatio", "two", null, 2],
      ["CompletionRatio", "one", null, 4],
    ]);
    expect(await changes("tw")).toMatchObject([{ entries: [{ name: "two" }], names: 2 }]);
    expect(await changes("%")).toEqual([]);
  });

  test("says whether the price came from the wire or a price list", async () => {
    await call(optionApi, "PUT /api/option/", { as: api.root, body: { key: "ModelPrice", value: '{"one":0.5}' } });
    const state = stateOf(await readOptionTexts(api.database.db, PRICE_KEYS));
    await applyPrices(root(), { state, prices: [["one", null, 2, 4, null, null]] });
    const rows = await changes();
    expect(rows.map(({ source }) => source)).toEqual(["sync", "wire"]);
    expect(rows[0]?.entries).toEqual(
      expect.arrayContaining([
        { key: "ModelPrice", name: "one", before: 0.5, after: null },
        { key: "ModelRatio", name: "one", before: null, after: 1 },
        { key: "CompletionRatio", name: "one", before: null, after: 2 },
      ]),
    );
  });

  test("ratios of groups are in it, and other options are not", async () => {
    await save({ GroupRatio: { default: 1, vip: 0.8, svip: 1 } });
    await saveOptions(root(), [{ key: "QuotaForNewUser", value: "5" }]);
    expect(await changes()).toMatchObject([
      { entries: [{ key: "GroupRatio", name: "vip", before: 1, after: 0.8 }], names: 1, more: 0 },
    ]);
  });

  test("a refused text leaves nothing in it, and nothing in it can be changed or removed", async () => {
    await save({ ModelRatio: { one: -1 } });
    expect(await changes()).toEqual([]);
    await save({ ModelRatio: { one: 1 } });
    for (const statement of [
      "update price_changes set actor_id = 7",
      "delete from price_changes",
      "update price_change_entries set after = '9'",
      "delete from price_change_entries",
    ])
      await expect(api.database.sql.unsafe(statement)).rejects.toThrow(/append-only/);
  });

  test("is read and undone by root alone, page by page", async () => {
    for (const ratio of [1, 2, 3]) await save({ ModelRatio: { one: ratio } });
    const page = await listPriceChanges(root(), {}, 2);
    expect([page.items.length, page.next]).toEqual([2, page.items[1]?.id]);
    expect((await listPriceChanges(root(), { before: page.next ?? 0 }, 2)).items).toHaveLength(1);
    for (const ctx of [as(api.admin, 10), as(api.alice, 1)]) {
      await expect(listPriceChanges(ctx)).rejects.toMatchObject({ code: "forbidden" });
      await expect(undoPriceChange(ctx, { id: 1 })).rejects.toMatchObject({ code: "forbidden" });
    }
  });
});

describe("undo of a price change", () => {
  test("gives all its models their price back, also that of none, and can itself be undone", async () => {
    await save({ ModelRatio: { one: 1 } });
    await save({ ModelRatio: { one: 2, two: 3 }, ModelMeterPrices: { three: { second: 1, picture: 2 } } });
    const [change] = await changes();
    expect(await undoPriceChange(root(), { id: change?.id ?? 0 })).toEqual({ count: 3 });
    expect(await ratios()).toEqual({ one: 1 });
    const [undo, undone] = await changes();
    expect([undo?.source, undo?.undoOf, undone?.undoneBy]).toEqual(["undo", change?.id, undo?.id]);
    await undoPriceChange(root(), { id: undo?.id ?? 0 });
    expect(await ratios()).toEqual({ one: 2, two: 3 });
    expect((await loadOptions(api.database.db)).ModelMeterPrices).toEqual({ three: { second: 1, picture: 2 } });
  });

  test("leaves what others changed meanwhile in other models", async () => {
    await save({ ModelRatio: { one: 1 } });
    const [change] = await changes();
    await save({ ModelRatio: { one: 1, two: 2 } });
    await undoPriceChange(root(), { id: change?.id ?? 0 });
    expect(await ratios()).toEqual({ two: 2 });
  });

  test("is refused with what was changed since, and then changes nothing", async () => {
    await save({ ModelRatio: { one: 1, two: 1 } });
    const [change] = await changes();
    await save({ ModelRatio: { one: 5, two: 1 } });
    const refused = undoPriceChange(root(), { id: change?.id ?? 0 });
    await expect(refused).rejects.toMatchObject({
      code: "conflict",
      messageKey: "priceChangedSince",
      params: { changes: "one (ModelRatio: 1 → 5)" },
    });
    expect(await ratios()).toEqual({ one: 5, two: 1 });
    expect((await changes()).map(({ isOvertaken }) => isOvertaken)).toEqual([false, true]);
    await expect(undoPriceChange(root(), { id: 999_999 })).rejects.toMatchObject({ code: "not_found" });
  });

  test("two undos at once: one takes it back, the other is told", async () => {
    await save({ ModelRatio: { one: 1 } });
    const [change] = await changes();
    const id = change?.id ?? 0;
    const results = await Promise.allSettled([undoPriceChange(root(), { id }), undoPriceChange(root(), { id })]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await ratios()).toEqual({});
  });
});
