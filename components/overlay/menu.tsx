"use client";

import type { ReactNode } from "react";
import { DropdownMenu, DropdownMenuContent, DropdownMenuTrigger } from "@/components/ui/dropdown-menu";

export function Menu({ trigger, label, children }: { trigger: ReactNode; label?: string; children: ReactNode }) {
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>{trigger}</DropdownMenuTrigger>
      <DropdownMenuContent {...(label ? { "aria-label": label } : {})}>{children}</DropdownMenuContent>
    </DropdownMenu>
  );
}
