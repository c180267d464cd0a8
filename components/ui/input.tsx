import type { ComponentProps } from "react";
import { cn } from "./class-names";

export const fieldClasses =
  "w-full rounded-md border border-input bg-surface text-sm transition-colors placeholder:text-muted-foreground disabled:cursor-not-allowed disabled:bg-muted disabled:text-muted-foreground aria-invalid:border-destructive";

export function Input({ className, ...rest }: ComponentProps<"input">) {
  return <input className={cn(fieldClasses, "h-9 px-2.5", className)} {...rest} />;
}

export function Textarea({ className, ...rest }: ComponentProps<"textarea">) {
  return <textarea className={cn(fieldClasses, "min-h-18 px-2.5 py-2 leading-relaxed", className)} {...rest} />;
}
