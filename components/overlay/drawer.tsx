"use client";

import { X } from "lucide-react";
import { useTranslations } from "next-intl";
import { Button } from "@/components/ui/button";
import {
  Sheet,
  SheetClose,
  SheetContent,
  SheetDescription,
  SheetFooter,
  SheetHeader,
  SheetTitle,
} from "@/components/ui/sheet";
import type { ModalProps } from "./modal";
import { focusWindow, withoutDescription } from "./modal";

type DrawerProps = ModalProps & {
  side?: "left";
  /** Keep the drawer open on a click outside, because it contains a form. */
  modalForm?: boolean;
  /** Runs before the focus returns to what had it before; can prevent that. */
  onCloseAutoFocus?: (event: Event) => void;
};

/** Slides in from the right, the menu of a phone from the left; full width on phones. */
export function Drawer(props: DrawerProps) {
  const {
    open,
    onClose,
    title,
    description,
    children,
    footer,
    side,
    modalForm,
    className,
    onKeyDown,
    onCloseAutoFocus,
  } = props;
  const t = useTranslations("common");
  return (
    <Sheet open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <SheetContent
        {...withoutDescription(description)}
        onPointerDownOutside={(event) => (modalForm ? event.preventDefault() : undefined)}
        onOpenAutoFocus={focusWindow}
        onCloseAutoFocus={onCloseAutoFocus}
        onKeyDown={onKeyDown}
        {...(side ? { side } : {})}
        className={className}
      >
        <SheetHeader>
          <div className="min-w-0 flex-1">
            <SheetTitle>{title}</SheetTitle>
            {description ? <SheetDescription>{description}</SheetDescription> : null}
          </div>
          <SheetClose asChild>
            <Button variant="ghost" size="icon" aria-label={t("close")} className="-mr-1.5 text-muted-foreground">
              <X />
            </Button>
          </SheetClose>
        </SheetHeader>
        <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{children}</div>
        {footer ? <SheetFooter>{footer}</SheetFooter> : null}
      </SheetContent>
    </Sheet>
  );
}
