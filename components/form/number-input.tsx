import type { ComponentProps } from "react";
import { cn } from "@/components/ui/class-names";
import { Input } from "@/components/ui/input";

type NumberInputProps = Omit<ComponentProps<typeof Input>, "type" | "min"> & { min?: number };

/** A field for whole numbers, from 0 unless `min` says otherwise. */
export function NumberInput({ min = 0, className, ...props }: NumberInputProps) {
  // The keypad for digits has no minus sign on some phones.
  const keypad = min < 0 ? undefined : "numeric";
  return (
    <Input type="number" min={min} step={1} inputMode={keypad} className={cn("tabular-nums", className)} {...props} />
  );
}
