import type { ComponentProps } from "react";
import { cn } from "./class-names";
import { fieldClasses } from "./input";

export function Textarea({ className, ...props }: ComponentProps<"textarea">) {
  return (
    <textarea
      data-slot="textarea"
      dir="auto"
      className={cn(fieldClasses, "min-h-18 px-2.5 py-2 leading-relaxed", className)}
      {...props}
    />
  );
}
