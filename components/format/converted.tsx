import { formatConverted, type QuotaDisplay } from "./quota";

/** The amount in the second currency, where the operator set one. */
export function Converted({ quota, display }: { quota: number; display: QuotaDisplay }) {
  const text = formatConverted(quota, display);
  if (text === null) return null;
  return (
    <span
      className="whitespace-nowrap font-normal text-muted-foreground text-xs tracking-normal"
      data-testid="converted"
    >
      {text}
    </span>
  );
}
