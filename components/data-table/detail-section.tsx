import type { ReactNode } from "react";

export function DetailSection({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="overflow-hidden rounded-lg border bg-surface">
      <header className="flex flex-wrap items-center justify-between gap-2 border-b px-4 py-2.5">
        <h2 dir="auto" className="font-medium">
          {title}
        </h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
