export type TooltipEntry = {
  name: string;
  value: number;
  colour: string;
  /** Shown for comparison; not part of the total. */
  apart?: boolean;
};

type TooltipBoxProps = {
  title: string;
  entries: TooltipEntry[];
  format: (value: number) => string;
  /** When set, the total is shown above the entries. */
  totalLabel?: string | undefined;
};

/** Tooltip of one chart position: the total first, then the non-zero entries by size. */
export function TooltipBox({ title, entries, format, totalLabel }: TooltipBoxProps) {
  const shown = entries
    .filter(({ value }) => value !== 0)
    .sort((a, b) => Number(a.apart ?? false) - Number(b.apart ?? false) || b.value - a.value);
  const total = entries.reduce((sum, { value, apart }) => (apart ? sum : sum + value), 0);
  return (
    <div className="rounded-md border bg-surface px-3 py-2 text-xs shadow-lg">
      <p className="mb-1 font-medium">{title}</p>
      <table className="tabular-nums">
        <tbody>
          {totalLabel === undefined ? null : (
            <tr className="font-medium">
              <td dir="auto" className="pr-4">
                {totalLabel}
              </td>
              <td dir="auto" className="text-right">
                {format(total)}
              </td>
            </tr>
          )}
          {shown.map(({ name, value, colour }) => (
            <tr key={name}>
              <td dir="auto" className="pr-4">
                <span className="mr-1.5 inline-block size-2 rounded-full" style={{ background: colour }} />
                {name}
              </td>
              <td dir="auto" className="text-right">
                {format(value)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
