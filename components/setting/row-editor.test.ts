import { describe, expect, test } from "vitest";
import { fallbackEditor, modelLimitEditor } from "./failover-rows";
import {
  pricingCells,
  pricingEditor,
  readMediaCell,
  readMeterCell,
  toCompletionPrice,
  toCompletionRatio,
  toPrice,
  toRatio,
  withMediaCell,
  withMeterCell,
} from "./pricing-rows";
import { chatEditor, groupEditor, type Row, topUpEditor } from "./row-editor";

const pretty = (value: unknown) => JSON.stringify(value, null, 2);
/** The maps of ratios of sound and pictures. */
const NO_MEDIA = [{}, {}, {}, {}, {}];
const rowsOf = (cells: Row["cells"][]): Row[] => cells.map((one, id) => ({ id, cells: one }));

describe("model prices", () => {
  const texts = [pretty({ a: 0.1, both: 1 }), pretty({ b: 2, both: 3 }), pretty({ c: 4 })];

  test("rows are the union of the three maps with name, price, ratio and completion ratio (A108)", () => {
    expect(pricingEditor.read(texts)).toEqual([
      { name: "a", price: "0.1", ratio: "", completion: "", mode: "call" },
      { name: "both", price: "1", ratio: "3", completion: "", mode: "call" },
      { name: "b", price: "", ratio: "2", completion: "", mode: "ratio" },
      { name: "c", price: "", ratio: "", completion: "4", mode: "ratio" },
    ]);
  });

  test("a priced row is written without its ratios, everything else as it was (A134)", () => {
    const written = pricingEditor.write(pricingEditor.read(texts) ?? [], texts);
    expect(written.map((text) => JSON.parse(text))).toEqual([{ a: 0.1, both: 1 }, { b: 2 }, { c: 4 }, {}, ...NO_MEDIA]);
  });

  test("reading and writing unchanged rows changes no text, whatever the order of keys", () => {
    const meters = pretty({ p: { picture: 1, "picture:big": 2 }, b: { search: 0.01 } });
    const media = [pretty({ m: 5 }), pretty({ m: 2, b: 1 }), "{}", pretty({ z2: 1.6, b: 2 }), "{}"];
    const plain = [pretty({ z: 1, a: 2 }), pretty({ m: 1, b: 2 }), pretty({ b: 9, m: 1 }), meters, ...media];
    expect(pricingEditor.write(pricingEditor.read(plain) ?? [], plain)).toEqual(plain);
  });

  test("prices of other units are part of the row, and give way to a price per call", () => {
    const cells =
      pricingEditor.read(["{}", pretty({ b: 2 }), "{}", pretty({ b: { search: 0.01 }, p: { page: 1 } })]) ?? [];
    expect(cells.map(readMeterCell)).toEqual([{ search: 0.01 }, { page: 1 }]);
    const [b = {}, p = {}] = cells;
    const texts = ["{}", "{}", "{}", "{}"];
    const written = pricingEditor.write([{ ...b, mode: "call", price: "1" }, withMeterCell(p, { second: 3 })], texts);
    expect(written.map((text) => JSON.parse(text))).toEqual([{ b: 1 }, {}, {}, { p: { second: 3 } }, ...NO_MEDIA]);
    expect(JSON.parse(pricingEditor.write([withMeterCell(p, {})], texts)[3] ?? "")).toEqual({});
    for (const bad of ['{"a":1}', '{"a":{"token":1}}', '{"a":{"page":-1}}', "[]"])
      expect(pricingEditor.read(["{}", "{}", "{}", bad])).toBeNull();
  });

  test("ratios of sound and pictures are part of the row, and give way to a price per call", () => {
    const [cells = {}] = pricingEditor.read(["{}", "{}", "{}", "{}", pretty({ m: 8 }), pretty({ m: 2 })]) ?? [];
    expect(readMediaCell(cells)).toEqual({ audioRatio: 8, audioCompletionRatio: 2 });
    const texts = Array.from({ length: 9 }, () => "{}");
    const mapsOf = (row: Row["cells"]) => pricingEditor.write([row], texts).map((text) => JSON.parse(text));
    expect(mapsOf(withMediaCell(cells, { imageRatio: 2 }))).toEqual([{}, {}, {}, {}, {}, {}, {}, { m: 2 }, {}]);
    expect(mapsOf({ ...cells, mode: "call", price: "1" })).toEqual([{ m: 1 }, {}, {}, {}, ...NO_MEDIA]);
    expect(pricingEditor.read(["{}", "{}", "{}", "{}", "[]"])).toBeNull();
  });

  test("texts are not numbers, names are needed and unique, a price per call is needed (A155, A156, A157)", () => {
    const rows = rowsOf([
      pricingCells("a", { price: "", ratio: "abc", completion: "-1" }),
      pricingCells("a", { price: "1", ratio: "", completion: "" }),
      pricingCells(" ", { price: "", ratio: "1", completion: "" }),
      pricingCells("d", { price: "", ratio: "1", completion: "" }, "call"),
    ]);
    expect(pricingEditor.check(rows)).toEqual({
      "0.ratio": "number",
      "0.completion": "number",
      "1.name": "nameTaken",
      "2.name": "nameMissing",
      "3.price": "number",
    });
  });

  test("a text that is no map has no rows", () => {
    for (const bad of ["{", "[]", "null", "1"]) expect(pricingEditor.read([bad, "{}", "{}"])).toBeNull();
  });

  test("ratios and the price of a million tokens follow each other at the quota per unit in force", () => {
    expect([toPrice("1.25", 500_000), toPrice("1.25", 1_000_000)]).toEqual(["2.5", "1.25"]);
    expect([toRatio("2.5", 500_000), toRatio("x", 500_000)]).toEqual(["1.25", "x"]);
    expect(toCompletionPrice("1.25", "4", 500_000)).toBe("10");
    expect(toCompletionRatio("10", "1.25", 500_000)).toBe("4");
    for (const ratio of ["0.0375", "37.5", "0.1", "7"]) expect(toRatio(toPrice(ratio, 500_000), 500_000)).toBe(ratio);
  });
});

describe("groups, top-up ratios, chats", () => {
  test("a group is a ratio and, where users may choose it, a description; names are unique (B204)", () => {
    const texts = [pretty({ default: 1, vip: 0.8 }), pretty({ default: "standard" })];
    const cells = groupEditor.read(texts) ?? [];
    expect(cells).toEqual([
      { name: "default", ratio: "1", usable: "true", description: "standard" },
      { name: "vip", ratio: "0.8", usable: "false", description: "" },
    ]);
    expect(groupEditor.write(cells, texts)).toEqual(texts);
    const twice = rowsOf([...cells, { name: " vip ", ratio: "x", usable: "false", description: "" }]);
    expect(groupEditor.check(twice)).toEqual({ "2.name": "groupTaken", "2.ratio": "number" });
  });

  test("top-up ratios are a map", () => {
    const texts = [pretty({ default: 1, vip: 0.9 })];
    expect(topUpEditor.write(topUpEditor.read(texts) ?? [], texts)).toEqual(texts);
  });

  test("chats keep their order and may share a name", () => {
    const texts = [pretty([{ B: "https://b" }, { A: "https://a" }])];
    const cells = chatEditor.read(texts) ?? [];
    expect(chatEditor.write(cells, texts)).toEqual(texts);
    expect(chatEditor.check(rowsOf([...cells, { name: "B", address: "" }]))).toEqual({});
    expect(chatEditor.read(['{"a":"b"}'])).toBeNull();
  });
});

describe("failover", () => {
  test("limits by model are a row each; an empty cell is no limit of its own, and 0 is one", () => {
    const texts = [pretty({ "o1*": { idle: 0, first_byte: 60 }, m: {} })];
    const cells = modelLimitEditor.read(texts) ?? [];
    expect(cells).toMatchObject([
      { name: "o1*", first_byte: "60", idle: "0", connect: "" },
      { name: "m", idle: "" },
    ]);
    expect(modelLimitEditor.write(cells, texts)).toEqual(texts);
    const [first = {}] = cells;
    const changed = modelLimitEditor.write([{ ...first, connect: "2.5", idle: " " }], texts);
    expect(JSON.parse(changed[0] ?? "")).toEqual({ "o1*": { first_byte: 60, connect: 2.5 } });
  });

  test("a limit is a number of seconds up to a day; names are needed and unique", () => {
    const row = (name: string, idle: string) => ({ name, idle });
    const rows = rowsOf([row("a", "x"), row("a", "-1"), row(" ", "86401"), row("b", "86400"), row("c", "1e3")]);
    expect(modelLimitEditor.check(rows)).toEqual({
      "0.idle": "seconds",
      "1.idle": "seconds",
      "1.name": "nameTaken",
      "2.idle": "seconds",
      "2.name": "nameMissing",
      "4.idle": "seconds",
    });
    for (const bad of ['{"m":5}', '{"m":{"soon":1}}', "[]", "{"]) expect(modelLimitEditor.read([bad])).toBeNull();
  });

  test("fallbacks are lists in order, of one to five other models", () => {
    const texts = [pretty({ a: ["c", "b"], b: ["a"] })];
    const cells = fallbackEditor.read(texts) ?? [];
    expect(cells[0]).toEqual({ name: "a", models: "c, b" });
    expect(fallbackEditor.write(cells, texts)).toEqual(texts);
    const lists = ["", "a", "b, b", "b,c,d,e,f,g", "b,c,d,e,f"];
    expect(
      fallbackEditor.check(rowsOf(lists.map((models, at) => ({ name: at === 1 ? "a" : `m${at}`, models })))),
    ).toEqual({
      "0.models": "fallbacks",
      "1.models": "fallbacks",
      "2.models": "fallbacks",
      "3.models": "fallbacks",
    });
    // As a list it would become two models.
    expect(fallbackEditor.read(['{"a":["b,c"]}'])).toBeNull();
    // Cells are trimmed, so a change of another row would rename these.
    for (const text of ['{"a ":["b"]}', '{"a":[" b"]}']) expect(fallbackEditor.read([text])).toBeNull();
    expect(modelLimitEditor.read(['{"a ":{"idle":1}}'])).toBeNull();
  });
});
