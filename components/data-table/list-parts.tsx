import type { ReactNode } from "react";

export function ListHeader({ title, lead, action }: { title: string; lead: string; action?: ReactNode }) {
  return (
    <header className="mb-4 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="min-w-0 max-w-3xl">
        <h1 dir="auto" className="font-semibold text-lg tracking-tight">
          {title}
        </h1>
        <p className="mt-0.5 text-muted-foreground text-pretty">{lead}</p>
      </div>
      {action}
    </header>
  );
}

export function ListFrame({ children }: { children: ReactNode }) {
  return (
    <section className="overflow-hidden rounded-lg border bg-surface max-md:-mx-4 max-md:rounded-none max-md:border-x-0">
      {children}
    </section>
  );
}

/** Says why there are no rows, and what to do about it. */
export function EmptyList({
  icon,
  title,
  text,
  children,
}: {
  icon: ReactNode;
  title: string;
  text: string;
  children?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center px-6 py-14 text-center">
      <span className="mb-3 grid size-11 place-items-center rounded-full bg-muted text-muted-foreground [&_svg]:size-5">
        {icon}
      </span>
      <h2 dir="auto" className="font-medium">
        {title}
      </h2>
      <p className="mt-1 max-w-md text-balance text-muted-foreground">{text}</p>
      {children ? <div className="mt-4 flex w-full flex-col items-center gap-3">{children}</div> : null}
    </div>
  );
}
