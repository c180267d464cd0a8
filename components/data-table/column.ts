import type { ReactNode } from "react";

/** One column of a list. On a phone the header becomes the label before the value. */
export type Column<Row> = {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** In the header cell before the name, such as the box that selects every row; not on a phone. */
  head?: ReactNode;
  /** Sort id in the list's URL. */
  sort?: string;
  align?: "right";
  /** On a phone: the heading of the card, without a label. */
  heading?: boolean;
  /** Hidden in the table below this width; phone cards show it. */
  from?: "xl" | "wide" | "2xl" | "full";
  /** Sticks to the right edge when the table scrolls horizontally. */
  pinned?: boolean;
  /**
   * Where the value stands in a phone row of two lines, without its label. If any column has this, the others are not in
   * the row: its expanded part shows them.
   */
  phone?: "first" | "firstEnd" | "second" | "secondEnd";
  /** Not on phone cards, which show the same elsewhere. */
  tableOnly?: boolean;
  className?: string;
};
