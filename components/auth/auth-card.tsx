import { type ReactNode, useId } from "react";

type AuthCardProps = { title: string; lead: string; children: ReactNode; footer?: ReactNode };

/** The card of the registration and password reset pages. */
export function AuthCard({ title, lead, children, footer }: AuthCardProps) {
  const id = useId();
  return (
    <div className="mx-auto w-full max-w-108 px-4 py-10 sm:py-16">
      <section className="rounded-lg border bg-surface p-6 shadow-sm sm:p-8" aria-labelledby={id}>
        <h1 dir="auto" id={id} className="font-semibold text-xl tracking-tight">
          {title}
        </h1>
        <p className="mt-1 mb-6 text-muted-foreground text-pretty">{lead}</p>
        {children}
      </section>
      {footer ? <p className="mt-4 text-center text-muted-foreground">{footer}</p> : null}
    </div>
  );
}
