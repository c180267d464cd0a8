export function ChartLegend({ entries }: { entries: readonly { id: string; name: string; colour: string }[] }) {
  return (
    <span className="flex flex-wrap gap-x-3">
      {entries.map(({ id, name, colour }) => (
        <span key={id} className="inline-flex items-center gap-1.5">
          <span aria-hidden className="size-2 rounded-full" style={{ background: colour }} />
          {name}
        </span>
      ))}
    </span>
  );
}
