import type { ReactNode } from "react";

/** One column of a list. On a phone the header becomes the label in front of the value. */
export type Column<Row> = {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Sort id of the list's URL contract. */
  sort?: string;
  align?: "right";
  /** Shown as the heading of the row's card on a phone, without label. */
  heading?: boolean;
  /** Below this width there is no room for it in the table; a phone's card shows it again. */
  from?: "xl" | "wide" | "2xl";
  /** Stays in sight at the end of its row where the table is wider than its place. */
  pinned?: boolean;
  /** Left out of a phone's card, which says the same elsewhere. */
  tableOnly?: boolean;
  className?: string;
};
