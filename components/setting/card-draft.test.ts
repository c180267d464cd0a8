import { expect, test } from "vitest";
import type { OptionView } from "@/lib/option/types";
import { arrivedKeys, type CardState, EMPTY_CARD, isChanged, nextCardState, textOf, toChange } from "./card-draft";

const view = (change: Partial<OptionView> = {}): OptionView => ({
  key: "RetryTimes",
  card: "general",
  control: "number",
  choices: [],
  unit: null,
  requires: null,
  running: "new",
  isPending: false,
  secret: false,
  value: "2",
  default: "0",
  isSet: true,
  ...change,
});

test("typing makes a change, typing it back makes none", () => {
  const typed = nextCardState(EMPTY_CARD, { type: "text", key: "RetryTimes", text: "3" });
  expect([isChanged(typed, view()), toChange(typed, view())]).toEqual([
    true,
    { key: "RetryTimes", value: "3", base: "2" },
  ]);
  const back = nextCardState(typed, { type: "text", key: "RetryTimes", text: "2" });
  expect(isChanged(back, view())).toBe(false);
});

test("the default is sent as taking away what was set; of a secret too, a blank one is no change", () => {
  const reset = nextCardState(EMPTY_CARD, { type: "default", view: view() });
  expect(toChange(reset, view())).toEqual({ key: "RetryTimes", value: null, base: "2" });
  const secret = view({ key: "SMTPToken", secret: true, value: "", default: "", control: "text" });
  expect(isChanged(EMPTY_CARD, secret)).toBe(false);
  const cleared = nextCardState(EMPTY_CARD, { type: "default", view: secret });
  expect([isChanged(cleared, secret), toChange(cleared, secret)]).toEqual([true, { key: "SMTPToken", value: null }]);
});

test("with a default all rows of the card are read again, so that nothing is refused for a row that is gone", () => {
  const fallbacks = view({ key: "ModelFallbacks", control: "fallbackMap", value: "{}", default: "{}" });
  const typed = nextCardState(EMPTY_CARD, { type: "issue", key: "ModelFallbacks", message: "a name is missing" });
  const reset = nextCardState(typed, { type: "default", view: view() });
  expect([reset.round, isChanged(reset, fallbacks)]).toEqual([1, false]);
});

test("JSON is shown indented, and that alone is no change", () => {
  const map = view({ key: "GroupRatio", control: "ratioMap", value: '{"a":1}', default: "{}" });
  expect([textOf(EMPTY_CARD, map), isChanged(EMPTY_CARD, map)]).toEqual(['{\n  "a": 1\n}', false]);
});

test("what was saved shows at once; what was refused stays with its reason", () => {
  const other = view({ key: "QuotaPerUnit", value: "5" });
  let state = nextCardState(EMPTY_CARD, { type: "text", key: "RetryTimes", text: "3" });
  state = nextCardState(state, { type: "text", key: "QuotaPerUnit", text: "6" });
  const results = [
    { key: "RetryTimes", message: null, stored: "3" },
    { key: "QuotaPerUnit", message: "no", stored: null },
  ];
  state = nextCardState(state, { type: "saved", results, views: [view(), other] });
  expect([textOf(state, view()), isChanged(state, view())]).toEqual(["3", false]);
  expect([isChanged(state, other), state.errors]).toEqual([true, { QuotaPerUnit: "no" }]);
  // The page now has the server's version of the saved text, so that one shows.
  expect(textOf(state, view({ value: "03" }))).toBe("03");
  const discarded = nextCardState(state, { type: "discard" });
  expect([textOf(discarded, view()), isChanged(discarded, other)]).toEqual(["3", false]);
});

test("rows that have no text yet are a change with an issue, until they are put right or thrown away", () => {
  const bad = nextCardState(EMPTY_CARD, { type: "issue", key: "RetryTimes", message: "not a number" });
  expect(isChanged(bad, view())).toBe(true);
  expect(isChanged(nextCardState(bad, { type: "issue", key: "RetryTimes", message: null }), view())).toBe(false);
  expect(nextCardState(bad, { type: "discard" })).toMatchObject({ issues: {}, round: 1 });
});

test("a saved text shows until the page has it; the value it replaced shows again when it is restored", () => {
  const typed = nextCardState(EMPTY_CARD, { type: "text", key: "RetryTimes", text: "3" });
  const results = [{ key: "RetryTimes", message: null, stored: "3" }];
  const saved = nextCardState(typed, { type: "saved", results, views: [view()] });
  expect([textOf(saved, view()), arrivedKeys(saved, [view()])]).toEqual(["3", []]);
  const keys = arrivedKeys(saved, [view({ value: "3" })]);
  expect(keys).toEqual(["RetryTimes"]);
  const arrived = nextCardState(saved, { type: "arrived", keys });
  expect([textOf(arrived, view({ value: "3" })), textOf(arrived, view())]).toEqual(["3", "2"]);
});

const typedOver = (text: string, base: OptionView) =>
  nextCardState(EMPTY_CARD, { type: "text", key: base.key, text, base: base.value });
const refusedBy = (state: CardState, stored: string, shown: OptionView) =>
  nextCardState(state, { type: "saved", results: [{ key: shown.key, message: "changed", stored }], views: [shown] });

test("a page that is renewed behind an edit does not change what the edit was made from (B326)", () => {
  const typed = typedOver("3", view());
  const renewed = view({ value: "9" });
  expect(toChange(typed, renewed)).toEqual({ key: "RetryTimes", value: "3", base: "2" });
  const back = nextCardState(typed, { type: "text", key: "RetryTimes", text: "2" });
  expect([isChanged(back, renewed), textOf(back, renewed)]).toEqual([false, "9"]);
});

test("what somebody else has saved stands beside the edit until one is chosen (B326)", () => {
  const renewed = view({ value: "9" });
  const refused = refusedBy(typedOver("3", view()), "9", renewed);
  expect([textOf(refused, renewed), refused.clashes]).toEqual(["3", { RetryTimes: "9" }]);
  const mine = nextCardState(refused, { type: "settle", view: renewed, choice: "mine" });
  expect([mine.clashes, toChange(mine, renewed)]).toEqual([{}, { key: "RetryTimes", value: "3", base: "9" }]);
  const theirs = nextCardState(refused, { type: "settle", view: renewed, choice: "theirs" });
  expect([isChanged(theirs, renewed), textOf(theirs, renewed)]).toEqual([false, "9"]);
});

test("of a map, either choice keeps the entries that only one of both changed (B326)", () => {
  const map = view({ key: "ModelPrice", control: "ratioMap", value: '{"a":1,"b":1}', default: "{}" });
  const stored = '{"a":2,"b":1,"theirs":1}';
  const refused = refusedBy(typedOver('{"a":3,"b":1,"mine":1}', map), stored, map);
  const read = (choice: "mine" | "theirs") =>
    JSON.parse(toChange(nextCardState(refused, { type: "settle", view: map, choice }), map).value ?? "");
  expect([read("mine"), read("theirs")]).toEqual([
    { a: 3, b: 1, mine: 1, theirs: 1 },
    { a: 2, b: 1, mine: 1, theirs: 1 },
  ]);
});

test("an edit right after a save is made from what the server stored (B326)", () => {
  const results = [{ key: "RetryTimes", message: null, stored: "3" }];
  const saved = nextCardState(typedOver(" 3", view()), { type: "saved", results, views: [view()] });
  const again = nextCardState(saved, { type: "text", key: "RetryTimes", text: "4", base: "2" });
  expect(toChange(again, view())).toEqual({ key: "RetryTimes", value: "4", base: "3" });
});
