import { expect, test } from "vitest";
import { mergeTexts, pickTexts } from "./text-tree";

const tree = { common: { close: "Close" }, setting: { title: "Settings", tab: { personal: "Own" }, unit: { s: "s" } } };

test("a page gets the texts under its paths and no others", () => {
  expect(pickTexts(tree, ["common", "setting.tab"])).toEqual({
    common: { close: "Close" },
    setting: { tab: { personal: "Own" } },
  });
  expect(pickTexts(tree, ["setting.tab", "setting.unit"])).toEqual({
    setting: { tab: { personal: "Own" }, unit: { s: "s" } },
  });
});

test("a path without texts is an error, not an empty page", () => {
  expect(() => pickTexts(tree, ["setting.gone"])).toThrow('no texts under "setting.gone"');
  expect(() => pickTexts(tree, ["common.close.now"])).toThrow("common.close.now");
});

test("the texts of a page do not remove those of the layout above it, nor change them", () => {
  const layout = pickTexts(tree, ["common", "setting.tab"]);
  const page = pickTexts(tree, ["setting"]);
  expect(mergeTexts(layout, page)).toEqual(tree);
  expect(mergeTexts(page, layout)).toEqual(tree);
  expect(layout.setting).toEqual({ tab: { personal: "Own" } });
});

test("a compiled text is one text: it is taken, and replaced, as a whole", () => {
  const compiled = { list: { rows: [["count", 6, { one: "1 row", other: [0, " rows"] }]], title: "Rows" } };
  expect(pickTexts(compiled, ["list.rows"])).toEqual({ list: { rows: compiled.list.rows } });
  expect(() => pickTexts(compiled, ["list.rows.0"])).toThrow("no texts under");
  const replaced = mergeTexts(compiled, { list: { rows: [["name"]] } });
  expect(replaced).toEqual({ list: { rows: [["name"]], title: "Rows" } });
});
