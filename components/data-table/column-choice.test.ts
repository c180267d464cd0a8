import { expect, test } from "vitest";
import type { Column } from "./column";
import { applyColumnChoice, readColumnChoice } from "./column-choice";

const columns: Column<string>[] = [
  { id: "name", header: "Name", cell: (row) => row },
  { id: "health", header: "Health", from: "2xl", cell: (row) => row },
];

test("what is no choice of columns counts as none", () => {
  for (const text of [undefined, "", "{", "[]", "null", "7", "%"]) expect(readColumnChoice(text)).toEqual({});
  expect(readColumnChoice(encodeURIComponent('{"name":false,"health":"yes"}'))).toEqual({ name: false });
});

test("a column that was switched off is gone, one that was switched on is there at every width", () => {
  expect(applyColumnChoice(columns, {})).toEqual(columns);
  expect(applyColumnChoice(columns, { name: false }).map(({ id }) => id)).toEqual(["health"]);
  expect(applyColumnChoice(columns, { health: true })[1]?.from).toBeUndefined();
});
