"use client";

import { X } from "lucide-react";
import { useTranslations } from "next-intl";
import type { KeyboardEventHandler, ReactNode } from "react";
import { Button } from "@/components/ui/button";
import {
  Dialog,
  DialogClose,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from "@/components/ui/dialog";

export type ModalProps = {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  footer?: ReactNode;
  className?: string;
  /** Handles keys anywhere in the dialog, also while the dialog itself has the focus. */
  onKeyDown?: KeyboardEventHandler;
};

export function Modal(props: ModalProps) {
  const { open, onClose, title, description, children, footer, className, onKeyDown } = props;
  const t = useTranslations("common");
  return (
    <Dialog open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <DialogContent
        {...withoutDescription(description)}
        onOpenAutoFocus={focusWindow}
        onKeyDown={onKeyDown}
        className={className}
      >
        <DialogHeader>
          <div className="min-w-0 flex-1">
            <DialogTitle className="wrap-anywhere">{title}</DialogTitle>
            {description ? <DialogDescription>{description}</DialogDescription> : null}
          </div>
          <DialogClose asChild>
            <Button variant="ghost" size="icon" aria-label={t("close")} className="-mr-1.5 text-muted-foreground">
              <X />
            </Button>
          </DialogClose>
        </DialogHeader>
        {children ? <div className="min-h-0 overflow-y-auto px-5 pb-4">{children}</div> : null}
        {footer ? <DialogFooter>{footer}</DialogFooter> : null}
      </DialogContent>
    </Dialog>
  );
}

/** Tells Radix that the missing description is intentional. */
export const withoutDescription = (description: ReactNode) => (description ? {} : { "aria-describedby": undefined });

/** Focuses the window instead of its close button, unless an element inside already has the focus. */
export function focusWindow(event: Event): void {
  const opened = event.currentTarget;
  if (!(opened instanceof HTMLElement) || opened.contains(document.activeElement)) return;
  event.preventDefault();
  opened.focus();
}
