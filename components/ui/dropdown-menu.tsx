"use client";

import { DropdownMenu as RadixMenu } from "radix-ui";
import type { ComponentProps, ReactNode } from "react";
import { cn } from "./class-names";

export function Menu({ trigger, label, children }: { trigger: ReactNode; label?: string; children: ReactNode }) {
  return (
    <RadixMenu.Root modal={false}>
      <RadixMenu.Trigger asChild>{trigger}</RadixMenu.Trigger>
      <RadixMenu.Portal>
        <RadixMenu.Content
          align="end"
          sideOffset={6}
          collisionPadding={8}
          {...(label ? { "aria-label": label } : {})}
          className="data-[state=open]:fade-in-0 data-[state=open]:zoom-in-98 z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-40 overflow-y-auto rounded-lg border bg-surface p-1 shadow-lg data-[state=open]:animate-in"
        >
          {children}
        </RadixMenu.Content>
      </RadixMenu.Portal>
    </RadixMenu.Root>
  );
}

const itemClasses =
  "flex w-full cursor-pointer select-none items-center gap-2 rounded-md px-2 py-1.5 text-sm outline-none data-disabled:pointer-events-none data-highlighted:bg-muted data-disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted-foreground";

export function MenuItem({
  className,
  destructive,
  ...rest
}: ComponentProps<typeof RadixMenu.Item> & { destructive?: boolean }) {
  return (
    <RadixMenu.Item
      className={cn(itemClasses, destructive && "text-destructive [&_svg]:text-destructive", className)}
      {...rest}
    />
  );
}

export function MenuSeparator() {
  return <RadixMenu.Separator className="-mx-1 my-1 h-px bg-border" />;
}

export function MenuChoice({ className, ...rest }: ComponentProps<typeof RadixMenu.RadioItem>) {
  return (
    <RadixMenu.RadioItem
      className={cn(itemClasses, "data-[state=checked]:font-medium data-[state=checked]:text-primary", className)}
      {...rest}
    />
  );
}

export const MenuChoices = RadixMenu.RadioGroup;
