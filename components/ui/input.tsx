import type { ComponentProps } from "react";
import { cn } from "./class-names";

export const fieldClasses =
  "w-full rounded-md border border-input bg-surface text-sm transition-colors placeholder:text-muted-foreground disabled:cursor-not-allowed disabled:bg-muted disabled:text-muted-foreground aria-invalid:border-destructive";

export function Input({ className, ...props }: ComponentProps<"input">) {
  return <input data-slot="input" dir="auto" className={cn(fieldClasses, "h-9 px-2.5", className)} {...props} />;
}
