import { getTableColumns, getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import { expect, test } from "vitest";
import * as schema from "@/db/schema";
import { SEALED_COLUMNS } from "./sealed-columns";

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

test("every column with sealed values is sealed anew when WEIR_SECRET is rotated", () => {
  const named = Object.values(schema).flatMap((table) =>
    is(table, PgTable)
      ? Object.entries(getTableColumns(table)).flatMap(([property, column]) =>
          /cipher|sealed/i.test(property) && column.dataType === "string"
            ? [`${getTableName(table)}.${snake(property)}`]
            : [],
        )
      : [],
  );
  const listed = SEALED_COLUMNS.filter(({ flag }) => !flag).map(({ table, column }) => `${table}.${column}`);
  expect(named.length).toBeGreaterThan(5);
  expect(listed.sort()).toEqual(named.sort());
  const flagged = Object.values(schema).flatMap((table) =>
    is(table, PgTable) &&
    Object.entries(getTableColumns(table)).some(([name, { dataType }]) => name === "sealed" && dataType === "boolean")
      ? [getTableName(table)]
      : [],
  );
  expect([...new Set(SEALED_COLUMNS.flatMap(({ table, flag }) => (flag ? [table] : [])))].sort()).toEqual(
    flagged.sort(),
  );
});
