import type { ReactNode } from "react";

export function WalletCard({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  return (
    <section className="rounded-lg border bg-surface p-5">
      <h2 dir="auto" className="font-medium">
        {title}
      </h2>
      {lead ? <p className="mt-0.5 text-muted-foreground text-pretty">{lead}</p> : null}
      <div className="mt-4">{children}</div>
    </section>
  );
}
