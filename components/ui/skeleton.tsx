import type { ComponentProps } from "react";
import { cn } from "./class-names";

export function Skeleton({ className, ...props }: ComponentProps<"span">) {
  return (
    <span
      aria-hidden
      data-slot="skeleton"
      className={cn("block h-4 animate-pulse rounded bg-muted", className)}
      {...props}
    />
  );
}
