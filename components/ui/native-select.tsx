import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";
import { cn } from "./class-names";
import { fieldClasses } from "./input";

/** The native select, for its keyboard, screen reader and phone support. */
export function NativeSelect({ className, children, ...props }: ComponentProps<"select">) {
  return (
    <span data-slot="native-select-wrapper" className={cn("relative inline-flex w-full", className)}>
      <select
        data-slot="native-select"
        className={cn(fieldClasses, "h-9 cursor-pointer appearance-none truncate pr-8 pl-2.5")}
        {...props}
      >
        {children}
      </select>
      <ChevronDown
        data-slot="native-select-icon"
        className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-muted-foreground"
        aria-hidden
      />
    </span>
  );
}
