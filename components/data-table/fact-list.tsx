import type { ReactNode } from "react";

export type Fact = { label: string; value: ReactNode };

/** Labels and values of a row that is open beside its list. */
export function FactList({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-sm">
      {facts.map(({ label, value }) => (
        <div key={label} className="contents">
          <dt className="text-muted-foreground text-xs leading-5">{label}</dt>
          <dd dir="auto" className="min-w-0 whitespace-pre-line break-words tabular-nums">
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}
