import type { ComponentProps } from "react";
import { cn } from "./class-names";

/** The native checkbox in the theme's colours. */
export function Checkbox({ className, ...props }: Omit<ComponentProps<"input">, "type">) {
  return (
    <input
      type="checkbox"
      data-slot="checkbox"
      className={cn("size-4 shrink-0 cursor-pointer accent-primary disabled:cursor-not-allowed", className)}
      {...props}
    />
  );
}
