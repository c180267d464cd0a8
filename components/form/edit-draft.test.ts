import { expect, test } from "vitest";
import { changesOf, type EditState, settle, startEdit, withFailure, withSaved } from "./edit-draft";

type Row = { id: number; name: string; limit: number; models: string; setting: string; quota: number };
type Draft = { name: string; limits: boolean; limit: string; models: string[]; setting: string; quota: string };

const row: Row = { id: 7, name: "before", limit: 5, models: "a,b", setting: '{"x":1}', quota: 1_000 };
const shape = {
  toDraft: (from: Row | null): Draft => ({
    name: from?.name ?? "",
    limits: (from?.limit ?? 0) > 0,
    limit: String(from?.limit || 60),
    models: (from?.models ?? "").split(","),
    setting: from?.setting ?? "",
    quota: String(from?.quota ?? 0),
  }),
  toInput: ({ name, limits, limit, models, setting, quota }: Draft) => ({
    name: name.trim(),
    limit: limits ? Number(limit) : 0,
    models: models.join(","),
    setting,
    quota: Number(quota),
  }),
  entries: ["setting"] as const,
};

const typed = (change: Partial<Draft>): EditState<Row, Draft> => {
  const state = startEdit(row, shape.toDraft);
  return { ...state, draft: { ...state.draft, ...change } };
};
const refused = (state: EditState<Row, Draft>, field: string, stored: unknown) =>
  withFailure(state, {
    ok: false,
    code: "conflict",
    message: "",
    fields: {},
    clashes: [{ field, seen: null, stored }],
  });

test("a form sends what was changed, with what it was changed from, and nothing else", () => {
  expect(changesOf(typed({}), shape)).toEqual({ seen: {} });
  expect(changesOf(typed({ name: " before " }), shape)).toEqual({ seen: {} });
  expect(changesOf(typed({ limits: false, models: ["a"] }), shape)).toEqual({
    limit: 0,
    models: "a",
    seen: { limit: 5, models: "a,b" },
  });
});

test("an amount goes with the amount of the same reading, also where another field was settled in between", () => {
  const state = refused(typed({ quota: "1500", name: "mine" }), "name", "theirs");
  const settled = settle(state, { field: "name", choice: "mine" }, shape);
  expect(changesOf(settled, shape)).toEqual({ name: "mine", quota: 1_500, seen: { name: "theirs", quota: 1_000 } });
});

test("a new row is sent whole; fields that belong together are sent together", () => {
  expect(changesOf(startEdit(null, shape.toDraft), shape)).toMatchObject({ name: "", quota: 0, seen: {} });
  expect(changesOf(typed({ name: "mine" }), { ...shape, together: [["name", "models"]] })).toEqual({
    name: "mine",
    models: "a,b",
    seen: { name: "before", models: "a,b" },
  });
});

test("after a choice the form goes on from the stored value: mine is sent over it, theirs is no change any more", () => {
  const state = refused(typed({ models: ["a", "c"] }), "models", "a,b,d");
  const mine = settle(state, { field: "models", choice: "mine" }, shape);
  expect([mine.clashes, changesOf(mine, shape)]).toEqual([[], { models: "a,c", seen: { models: "a,b,d" } }]);
  const theirs = settle(state, { field: "models", choice: "theirs" }, shape);
  expect([theirs.draft.models, changesOf(theirs, shape)]).toEqual([["a", "b", "d"], { seen: {} }]);
});

test("a field that is several inputs is taken with all of them, whatever mine and theirs are", () => {
  for (const [mine, theirs] of [
    [{ limits: false }, 7],
    [{ limit: "9" }, 0],
    [{ limit: "9" }, 7],
    [{ limits: false, limit: "9" }, 5],
  ] as const) {
    const state = refused(typed({ ...mine, name: "mine" }), "limit", theirs);
    const taken = settle(state, { field: "limit", choice: "theirs" }, shape);
    expect(changesOf(taken, shape)).toEqual({ name: "mine", seen: { name: "before" } });
    expect(shape.toInput(taken.draft).limit).toBe(theirs);
  }
});

test("entries of a JSON text that only one of both changed are kept with either choice", () => {
  const state = refused(typed({ setting: '{"x":2,"mine":1}' }), "setting", '{"x":3,"theirs":1}');
  const read = (choice: "mine" | "theirs") =>
    JSON.parse(settle(state, { field: "setting", choice }, shape).draft.setting);
  expect([read("mine"), read("theirs")]).toEqual([
    { x: 2, mine: 1, theirs: 1 },
    { x: 3, mine: 1, theirs: 1 },
  ]);
});

test("a form that stays open goes on from what it has sent, not from what was typed meanwhile", () => {
  const saved = withSaved(typed({ name: "sent and more" }), { name: "sent" }, shape);
  expect(changesOf(saved, shape)).toEqual({ name: "sent and more", seen: { name: "sent" } });
});

test("what was saved in other words than it is stored is no input of its own afterwards", () => {
  const saved = withSaved(typed({ name: " sent " }), { name: "sent" }, shape);
  expect(saved.draft).toEqual(saved.start);
});

test("an entry of a record is taken without the others, so that a typed secret is not lost", () => {
  type Target = { name: string; "config.url": string; "config.server": string };
  type TargetDraft = { name: string; config: Record<string, string> };
  const target: Target = { name: "before", "config.url": "https://before", "config.server": "" };
  const targetShape = {
    toDraft: (from: Target | null): TargetDraft => ({
      name: from?.name ?? "",
      config: { url: from?.["config.url"] ?? "", server: from?.["config.server"] ?? "" },
    }),
    toInput: ({ name, config }: TargetDraft) => ({
      name,
      ...Object.fromEntries(Object.entries(config).map(([entry, text]) => [`config.${entry}`, text])),
    }),
  };
  const config = { url: "https://mine", server: "https://mine-too", secret: "typed" };
  const begun = startEdit(target, targetShape.toDraft);
  const state = withFailure(
    { ...begun, draft: { ...begun.draft, config } },
    {
      ok: false,
      code: "conflict",
      message: "",
      fields: {},
      clashes: [{ field: "config.url", seen: "https://before", stored: "https://theirs" }],
    },
  );
  const taken = settle(state, { field: "config.url", choice: "theirs" }, targetShape);
  expect(taken.draft.config).toEqual({ ...config, url: "https://theirs" });
  expect(settle(state, { field: "config.url", choice: "mine" }, targetShape).draft.config).toEqual(config);
});
