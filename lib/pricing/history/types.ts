import type { PriceSource, RecordedKey } from "@/lib/option/price-record-commands";

/** An entry of a price option before and after; null = the operator had set nothing, so the built-in price applies. */
export type PriceChangeEntry = { key: RecordedKey; name: string; before: unknown; after: unknown };

export type PriceChangeRow = {
  id: number;
  createdAt: number;
  actorId: number | null;
  actorName: string;
  clientIp: string;
  source: PriceSource;
  /** The change that this one took back. */
  undoOf: number | null;
  /** The change that took this one back. */
  undoneBy: number | null;
  /** Some of its models or groups were changed later, so that it cannot be undone. */
  isOvertaken: boolean;
  /** Models and groups. */
  names: number;
  /** The first of them. */
  entries: PriceChangeEntry[];
  /** Entries that are not listed. */
  more: number;
};

export type PriceChangePage = { items: PriceChangeRow[]; next: number | null };
