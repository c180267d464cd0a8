import { z } from "zod";

const PAGE_SIZE_MAX = 100;

/** Page numbers start at 1. */
export type Page<Item> = {
  items: Item[];
  total: number;
  page: number;
  pageSize: number;
  /** Counting stopped at `total`; there are more. */
  isTotalCapped?: boolean;
};

/** Paging fields of every search schema. An invalid number becomes the default; a page size above PAGE_SIZE_MAX becomes that. */
export const pageShape = {
  page: z.coerce.number().int().min(1).max(1_000_000).catch(1).default(1),
  pageSize: z.coerce
    .number()
    .int()
    .catch(10)
    .default(10)
    .transform((size) => (size <= 0 ? 10 : Math.min(size, PAGE_SIZE_MAX))),
};

/** The asked page of a list, or its last one if that page is beyond the end. */
export async function lastIfBeyond<Item>(
  list: (page: number) => Promise<Page<Item>>,
  page: number,
): Promise<Page<Item>> {
  const found = await list(page);
  const last = Math.ceil(found.total / found.pageSize);
  return last > 0 && found.page > last ? list(last) : found;
}

export function offsetOf(search: { page: number; pageSize: number }): number {
  return (search.page - 1) * search.pageSize;
}

/** Escapes text for use in a LIKE pattern. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, (character) => `\\${character}`);
}
