"use client";

import * as SheetPrimitive from "@radix-ui/react-dialog";
import { cva, type VariantProps } from "class-variance-authority";
import type { ComponentProps } from "react";
import { cn } from "./class-names";
import { keptWhileComposing } from "./composing";

export function Sheet(props: ComponentProps<typeof SheetPrimitive.Root>) {
  return <SheetPrimitive.Root data-slot="sheet" {...props} />;
}

export function SheetClose(props: ComponentProps<typeof SheetPrimitive.Close>) {
  return <SheetPrimitive.Close data-slot="sheet-close" {...props} />;
}

function SheetOverlay({ className, ...props }: ComponentProps<typeof SheetPrimitive.Overlay>) {
  return (
    <SheetPrimitive.Overlay
      data-slot="sheet-overlay"
      className={cn(
        "data-[state=closed]:fade-out-0 data-[state=open]:fade-in-0 fixed inset-0 z-50 bg-black/45 data-[state=closed]:animate-out data-[state=open]:animate-in",
        className,
      )}
      {...props}
    />
  );
}

const sheetVariants = cva(
  "data-[state=open]:fade-in-0 fixed inset-y-0 z-50 flex w-full max-w-150 flex-col bg-surface shadow-xl outline-none data-[state=open]:animate-in",
  {
    variants: {
      side: {
        left: "left-0 border-r data-[state=open]:slide-in-from-left-8",
        right: "right-0 border-l data-[state=open]:slide-in-from-right-8",
      },
    },
    defaultVariants: { side: "right" },
  },
);

export function SheetContent({
  className,
  side,
  onEscapeKeyDown,
  ...props
}: ComponentProps<typeof SheetPrimitive.Content> & VariantProps<typeof sheetVariants>) {
  return (
    <SheetPrimitive.Portal data-slot="sheet-portal">
      <SheetOverlay />
      <SheetPrimitive.Content
        data-slot="sheet-content"
        onEscapeKeyDown={keptWhileComposing(onEscapeKeyDown)}
        className={cn(sheetVariants({ side }), className)}
        {...props}
      />
    </SheetPrimitive.Portal>
  );
}

export function SheetHeader({ className, ...props }: ComponentProps<"header">) {
  return (
    <header
      data-slot="sheet-header"
      className={cn("flex items-start gap-3 border-b px-5 py-3.5", className)}
      {...props}
    />
  );
}

export function SheetFooter({ className, ...props }: ComponentProps<"footer">) {
  return (
    <footer
      data-slot="sheet-footer"
      className={cn("flex justify-end gap-2 border-t px-5 py-3", className)}
      {...props}
    />
  );
}

export function SheetTitle({ className, ...props }: ComponentProps<typeof SheetPrimitive.Title>) {
  return (
    <SheetPrimitive.Title
      data-slot="sheet-title"
      dir="auto"
      className={cn("font-semibold text-base", className)}
      {...props}
    />
  );
}

export function SheetDescription({ className, ...props }: ComponentProps<typeof SheetPrimitive.Description>) {
  return (
    <SheetPrimitive.Description
      data-slot="sheet-description"
      dir="auto"
      className={cn("mt-1 text-muted-foreground", className)}
      {...props}
    />
  );
}
