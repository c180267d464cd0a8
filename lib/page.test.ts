import { expect, test, vi } from "vitest";
import { lastIfBeyond } from "./page";

const listOf = (total: number) => vi.fn(async (page: number) => ({ items: [page], total, page, pageSize: 10 }));

test("a page beyond the end is the last page", async () => {
  expect(await lastIfBeyond(listOf(21), 99)).toMatchObject({ page: 3, items: [3] });
  expect(await lastIfBeyond(listOf(20), 3)).toMatchObject({ page: 2, items: [2] });
});

test("a page that exists, and the first page of an empty list, are read once", async () => {
  for (const [total, page] of [
    [21, 3],
    [0, 1],
    [0, 7],
  ] as const) {
    const list = listOf(total);
    expect(await lastIfBeyond(list, page)).toMatchObject({ page });
    expect(list).toHaveBeenCalledTimes(1);
  }
});
