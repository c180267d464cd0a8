import { Skeleton } from "@/components/ui/skeleton";

const WIDTHS = ["w-3/4", "w-1/2", "w-2/3", "w-5/6", "w-2/5"];

/** Placeholder rows of the final size, so that the layout does not shift when the rows arrive. */
export function TableSkeleton({ label, columns, rows = 10 }: { label: string; columns: number; rows?: number }) {
  return (
    <div role="status" aria-label={label}>
      <div className="h-9 border-b bg-muted/60 max-md:hidden" />
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <div key={row} className="flex h-13 items-center gap-6 border-b px-4 max-md:h-30">
          {Array.from({ length: columns }, (_, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
            <div key={column} className="flex-1 max-md:nth-[n+3]:hidden">
              <Skeleton className={WIDTHS[(row + column) % WIDTHS.length] ?? "w-2/3"} />
            </div>
          ))}
        </div>
      ))}
      <div className="h-13" />
    </div>
  );
}
