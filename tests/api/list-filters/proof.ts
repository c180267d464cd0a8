import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { AppError } from "@/lib/errors";
import { type CallOptions, call, type Person, type Table } from "../harness";

export type Fields = Record<string, unknown>;

/** A filter value, and the rows it must leave out. A function when the value is known only later. */
type Ask = { value: unknown; leavesOut: readonly string[] };

export type Filter = {
  asks: readonly [Ask, ...Ask[]];
  /** Invalid values: the call must refuse them, not ignore them. */
  refused: readonly unknown[];
};

export type Found = { ids: readonly unknown[]; total?: number | undefined; items?: readonly Fields[] };

/** One way to read a list: a call of /api, or the query function of a console page. */
export type Reading = {
  name: string;
  /** All parameters in the call's schema. Derived, so that a new filter without a test is noticed. */
  parameters: readonly string[];
  filters: Record<string, Filter>;
  /** Parameters that are not filters, each with the reason. */
  others?: Record<string, string>;
  /** The name of the page size parameter. */
  size?: "page_size" | "pageSize" | "size";
  /** Rows that this user must never see. */
  hidden?: readonly string[];
  sorts?: readonly string[];
  /** Throws AppError "invalid" for refused values. */
  read: (search: Fields) => Promise<Found>;
};

/** Rows that differ from the first one in exactly one field, and the readings of them. */
export type Subject = {
  name: string;
  /** Inserts the rows. Returns the names of the rows by their ids as the readings return them. */
  prepare: () => Promise<Map<string, string>>;
  readings: readonly Reading[];
};

export const PAGING = ["p", "page", "pageSize", "page_size", "size"];
export const TOO_LONG = "x".repeat(30_000);

export const only = (value: unknown, ...leavesOut: string[]): Filter["asks"] => [{ value, leavesOut }];

/** Inserts a base row and one row for each variant, which differs in the given fields. */
export async function insertVariants(
  variants: Record<string, Fields>,
  insert: (fields: Fields, index: number, name: string) => Promise<unknown>,
): Promise<Map<string, string>> {
  const rows = new Map<string, string>();
  for (const [index, [name, fields]] of Object.entries({ base: {}, ...variants }).entries())
    rows.set(String(await insert(fields, index, name)), name);
  return rows;
}

export function omit<Value>(record: Record<string, Value>, ...names: string[]): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

export const fieldsOf = (schema: z.ZodObject): string[] => Object.keys(schema.shape);

type Wire = {
  table: Table;
  line: string;
  as: () => Person;
  /** The field that identifies a row. */
  key?: string;
};

/** Reads through /api. Checks that an error reply has a message. */
export function overTheWire({ table, line, as, key = "id" }: Wire): Reading["read"] {
  return async (search) => {
    const query = new URLSearchParams(Object.entries(search).map(([name, value]) => [name, String(value)]));
    const options: CallOptions = { as: as() };
    const { status, json } = await call(table, `${line}?${query}`, options);
    expect(status).toBe(200);
    if (!json.success) {
      expect(json.message).toMatch(/\S/);
      throw new AppError("invalid", json.message);
    }
    const items: Fields[] = json.data.items ?? json.data;
    return { ids: items.map((item) => item[key]), total: json.data.total, items };
  };
}

const askedOf = (ask: Ask): unknown => (typeof ask.value === "function" ? ask.value() : ask.value);

export function proveFilters({ name, prepare, readings }: Subject, ready: (prepare: () => Promise<void>) => void) {
  describe(name, () => {
    let rows = new Map<string, string>();
    ready(async () => {
      rows = await prepare();
    });
    for (const reading of readings) proveReading(reading, () => rows);
  });
}

function proveReading(reading: Reading, rows: () => Map<string, string>) {
  const { filters, others = {}, parameters, size, read } = reading;
  const page = size === undefined ? {} : { [size]: 100 };
  const expected = (asks: readonly Ask[]): string[] => {
    const gone = new Set([...(reading.hidden ?? []), ...asks.flatMap(({ leavesOut }) => leavesOut)]);
    return [...rows().values()].filter((row) => !gone.has(row)).sort();
  };
  const expectRows = async (search: Fields, asks: readonly Ask[]) => {
    const { ids, total } = await read({ ...page, ...search });
    const names = ids.map((id) => rows().get(String(id)) ?? `unknown ${id}`);
    expect(names.sort(), JSON.stringify(search).slice(0, 300)).toEqual(expected(asks));
    if (total !== undefined) expect(total).toBe(ids.length);
    return { ids, total };
  };
  /** A page of one row as well: a filter after the page is cut would leave it empty. */
  const expectPages = async (search: Fields, asks: readonly Ask[]) => {
    const { ids, total } = await expectRows(search, asks);
    if (size === undefined) return;
    const first = await read({ ...search, [size]: 1 });
    expect(first.ids.length).toBe(Math.min(1, ids.length));
    if (total !== undefined) expect(first.total).toBe(total);
  };
  const all = Object.entries(filters).map(([parameter, { asks }]) => ({ parameter, ask: asks[0] }));
  const searchOf = (chosen: typeof all) =>
    Object.fromEntries(chosen.map(({ parameter, ask }) => [parameter, askedOf(ask)]));

  describe(reading.name, () => {
    test("every parameter that it takes is proven here", () => {
      const known = [...Object.keys(filters), ...Object.keys(others)];
      expect(parameters.filter((parameter) => !PAGING.includes(parameter)).sort()).toEqual(known.sort());
    });

    test("without a filter it holds every row that the reader may see", () => expectPages({}, []));

    for (const [parameter, { asks, refused }] of Object.entries(filters)) {
      test(`${parameter} leaves out exactly the row that differs in it, and refuses what makes no sense`, async () => {
        for (const ask of asks) await expectPages({ [parameter]: askedOf(ask) }, [ask]);
        for (const value of refused) {
          const refusal = expect(read({ [parameter]: value }), `${parameter}=${String(value).slice(0, 40)}`).rejects;
          await refusal.toMatchObject({ code: "invalid" });
        }
      });
    }

    test("filters together leave one row, and without any one of them that filter's row comes back", async () => {
      await expectPages(
        searchOf(all),
        all.map(({ ask }) => ask),
      );
      for (const left of all) {
        const rest = all.filter((other) => other !== left);
        await expectRows(
          searchOf(rest),
          rest.map(({ ask }) => ask),
        );
      }
    });

    for (const sort of reading.sorts ?? []) {
      test(`it is sorted by ${sort}, both ways`, async () => {
        for (const descending of [true, false]) {
          const { items = [] } = await read({ ...page, sort, descending });
          const values = items.map((item) => item[sort] as number);
          const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
          expect(new Set(values).size).toBeGreaterThan(1);
          expect(values).toEqual(descending ? sorted.reverse() : sorted);
        }
      });
    }
  });
}
