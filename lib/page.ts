import { z } from "zod";

const PAGE_SIZE_MAX = 100;

/** One page of a list; pages count from 1. */
export type Page<Item> = {
  items: Item[];
  total: number;
  page: number;
  pageSize: number;
  /** There are more than `total`: counting stopped there. */
  isTotalCapped?: boolean;
};

/** Paging part of every search schema. A number that makes no sense becomes the nearest one that does. */
export const pageShape = {
  page: z.coerce.number().int().min(1).max(1_000_000).catch(1).default(1),
  pageSize: z.coerce
    .number()
    .int()
    .catch(10)
    .default(10)
    .transform((size) => (size <= 0 ? 10 : Math.min(size, PAGE_SIZE_MAX))),
};

/** Rows to skip before this page. */
export function offsetOf(search: { page: number; pageSize: number }): number {
  return (search.page - 1) * search.pageSize;
}

/** Text as a literal inside a LIKE pattern. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, (character) => `\\${character}`);
}
