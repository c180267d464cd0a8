import { Fragment, type MouseEvent, type ReactNode } from "react";
import { cn } from "@/components/ui/class-names";
import type { Column } from "./column";
import { SortHeader } from "./sort-header";

type DataTableProps<Row> = {
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  rowKey: (row: Row) => string | number;
  /** Disabled rows are dimmed. */
  isMuted?: (row: Row) => boolean;
  /** Extra classes of a row, such as a highlight for a new row. */
  rowClassName?: (row: Row) => string | undefined;
  /** The expanded part below a row; null while collapsed. */
  detail?: (row: Row) => ReactNode;
  /** A click on a row, besides on its links and controls. There must be a control for the keyboard, too. */
  onRow?: (row: Row) => void;
};

/** The background must be opaque, because a pinned cell covers the cells that scroll below it. */
const PLAIN_ROW = "[--row:var(--surface)] hover:[--row:color-mix(in_oklab,var(--muted)_50%,var(--surface))]";
const TINTED_ROW = "[--row:color-mix(in_oklab,var(--muted)_45%,var(--surface))]";
const PINNED = "md:sticky md:right-0 md:z-[1]";
/** Stays at the top while a long list scrolls. A border would scroll away, so the line is a shadow. */
const HEADER =
  "md:sticky md:top-0 z-[2] bg-[color-mix(in_oklab,var(--muted)_60%,var(--surface))] shadow-[inset_0_-1px_0_var(--border)]";

/** A table on a wide screen, cards of label and value on a phone. */
export function DataTable<Row>({
  caption,
  columns,
  rows,
  rowKey,
  isMuted,
  rowClassName,
  detail,
  onRow,
}: DataTableProps<Row>) {
  const isTwoLines = columns.some(({ phone }) => phone !== undefined);
  // From here on a column may be the last one that shows.
  const end = columns.findLastIndex(({ from }) => from === undefined);
  return (
    <div className="md:@container/table md:max-h-[calc(100dvh-5rem)] md:overflow-auto">
      <table className="w-full border-collapse text-left max-md:block">
        <caption className="sr-only">{caption}</caption>
        <thead className="max-md:sr-only">
          <tr>
            {columns.map((column, place) => (
              <HeaderCell key={column.id} column={column} isEnd={place >= end} />
            ))}
          </tr>
        </thead>
        <tbody className="max-md:block">
          {rows.map((row) => {
            const below = detail?.(row);
            return (
              <Fragment key={rowKey(row)}>
                <tr
                  onClick={onRow ? (event) => (isOnControl(event) ? undefined : onRow(row)) : undefined}
                  className={cn(
                    "border-b bg-(--row) last:border-b-0 max-md:flex max-md:px-4",
                    isTwoLines ? TWO_LINES : "max-md:flex-col max-md:py-3",
                    PLAIN_ROW,
                    onRow && "cursor-pointer",
                    isMuted?.(row) && `${TINTED_ROW} text-muted-foreground`,
                    rowClassName?.(row),
                    below && `${TINTED_ROW} border-b-0`,
                  )}
                >
                  {columns.map((column, place) => (
                    <BodyCell key={column.id} column={column} isTwoLines={isTwoLines} isEnd={place >= end}>
                      {column.cell(row)}
                    </BodyCell>
                  ))}
                </tr>
                {below ? (
                  <tr className="border-b bg-muted/50 last:border-b-0 max-md:block">
                    <td colSpan={columns.length} className="px-4 pt-1 pb-4 max-md:block">
                      <div className="@container md:sticky md:left-4 md:w-[calc(100cqw-2rem)]">{below}</div>
                    </td>
                  </tr>
                ) : null}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/**
 * Whether a click was meant for a link or control in the row, ended a selection of text, or was made in a dialog of the
 * row, whose events come here although it stands elsewhere.
 */
export function isOnControl({ target, currentTarget }: MouseEvent): boolean {
  if (!(target instanceof Element) || !currentTarget.contains(target)) return true;
  const control = target.closest("a, button, input, select, textarea, label, summary, [role=menu]");
  return control !== null || window.getSelection()?.type === "Range";
}

/** The phone row of two lines. The empty element after the first line breaks it. */
const TWO_LINES =
  "max-md:flex-wrap max-md:items-center max-md:gap-x-2 max-md:py-2 max-md:before:order-2 max-md:before:basis-full max-md:before:content-['']";
const PLACES = {
  first: "max-md:order-1",
  firstEnd: "max-md:order-1 max-md:ml-auto",
  second: "max-md:order-3 max-md:min-w-0",
  secondEnd: "max-md:order-4 max-md:ml-auto max-md:min-w-0",
} as const;

const CARD_HEADING =
  "max-md:order-first max-md:min-h-7 max-md:justify-between max-md:gap-4 max-md:pb-1.5 max-md:font-medium";
const CARD_LINE =
  "max-md:min-h-7 max-md:justify-between max-md:gap-4 max-md:text-right max-md:before:shrink-0 max-md:before:font-normal max-md:before:font-sans max-md:before:text-muted-foreground max-md:before:text-sm max-md:before:content-[attr(data-label)]";

const HIDDEN = {
  xl: "max-xl:md:hidden",
  wide: "max-[1400px]:md:hidden",
  "2xl": "max-2xl:md:hidden",
  full: "max-[1840px]:md:hidden",
} as const;

const END = "md:max-[1840px]:pr-4!";

function HeaderCell<Row>({ column, isEnd }: { column: Column<Row>; isEnd: boolean }) {
  const classes = cn(
    HEADER,
    "h-9 break-keep px-3 max-2xl:px-2 max-[1400px]:px-1.5 font-medium leading-tight text-muted-foreground text-xs first:pl-4 last:pr-4",
    column.align === "right" && "text-right",
    column.from && HIDDEN[column.from],
    column.pinned && "md:right-0 md:z-[3]",
    isEnd && END,
    column.head && "whitespace-nowrap",
  );
  if (column.sort)
    return (
      <SortHeader id={column.sort} name={column.header} align={column.align} className={classes} head={column.head} />
    );
  return (
    <th scope="col" className={classes}>
      {column.head ? <span className="mr-2 inline-flex align-middle">{column.head}</span> : null}
      {column.header}
    </th>
  );
}

type BodyCellProps<Row> = { column: Column<Row>; isTwoLines: boolean; isEnd: boolean; children: ReactNode };

function BodyCell<Row>({ column, isTwoLines, isEnd, children }: BodyCellProps<Row>) {
  return (
    <td
      {...(column.heading ? {} : { "data-label": column.header })}
      className={cn(
        "px-3 py-2 [unicode-bidi:plaintext] max-2xl:px-2 max-[1400px]:px-1.5 align-middle first:pl-4 last:pr-4 max-md:flex max-md:items-center max-md:px-0! max-md:py-0.5",
        isTwoLines
          ? column.phone
            ? PLACES[column.phone]
            : "max-md:hidden!"
          : column.heading
            ? CARD_HEADING
            : CARD_LINE,
        column.align === "right" && "text-right tabular-nums",
        column.from && HIDDEN[column.from],
        column.pinned && `${PINNED} bg-(--row)`,
        isEnd && END,
        column.tableOnly && "max-md:hidden!",
        // Hides a label without a value on phone cards.
        children === null && "max-md:hidden!",
        column.className,
      )}
    >
      {/* The cell itself stays as it is, so that a card of a phone keeps its label in front. */}
      {children === null ? null : (
        <div dir="auto" className="contents">
          {children}
        </div>
      )}
    </td>
  );
}
