import { type ReactNode, useId } from "react";

type CardProps = { title: string; lead?: string | undefined; action?: ReactNode; children: ReactNode };

export function Card({ title, lead, action, children }: CardProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="min-w-0 rounded-lg border bg-surface">
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 border-b px-5 py-3.5">
        <div className="min-w-0">
          <h2 dir="auto" id={id} className="font-semibold">
            {title}
          </h2>
          {lead ? <p className="mt-0.5 text-muted-foreground text-pretty text-xs">{lead}</p> : null}
        </div>
        {action}
      </header>
      <div className="px-5 py-4">{children}</div>
    </section>
  );
}

/** One setting: title, current state, and its button. */
export function CardRow({ title, text, children }: { title: ReactNode; text: ReactNode; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b py-3 first:pt-0 last:border-b-0 last:pb-0">
      <div className="min-w-48 flex-1">
        <h3 dir="auto" className="font-medium">
          {title}
        </h3>
        <p dir="auto" className="break-words text-muted-foreground text-xs">
          {text}
        </p>
      </div>
      {children}
    </div>
  );
}
