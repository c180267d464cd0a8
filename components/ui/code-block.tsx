import type { ReactNode } from "react";
import { cn } from "./class-names";

/** Preformatted text. It can scroll, so it is focusable. */
export function CodeBlock({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <pre
      data-slot="code-block"
      dir="ltr"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className={cn("overflow-auto rounded-md bg-muted p-3 font-mono text-xs leading-relaxed", className)}
    >
      {children}
    </pre>
  );
}
