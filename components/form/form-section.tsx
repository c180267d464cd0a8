import type { ReactNode } from "react";

export function FormSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-4 border-t pt-4 first-of-type:border-t-0 first-of-type:pt-0">
      <legend className="float-left mb-1 w-full font-medium text-muted-foreground text-xs uppercase tracking-wide">
        {title}
      </legend>
      {children}
    </fieldset>
  );
}
