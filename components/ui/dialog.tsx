"use client";

import * as RadixDialog from "@radix-ui/react-dialog";
import { X } from "lucide-react";
import { useTranslations } from "next-intl";
import type { KeyboardEventHandler, ReactNode } from "react";
import { Button } from "./button";
import { cn } from "./class-names";

type DialogProps = {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  footer?: ReactNode;
  className?: string;
  /** Hears of keys wherever the focus stands in the dialog, the window itself included. */
  onKeyDown?: KeyboardEventHandler;
};

function Overlay() {
  return (
    <RadixDialog.Overlay className="data-[state=closed]:fade-out-0 data-[state=open]:fade-in-0 fixed inset-0 z-50 bg-black/45 data-[state=closed]:animate-out data-[state=open]:animate-in" />
  );
}

function CloseButton() {
  const t = useTranslations("common");
  return (
    <RadixDialog.Close asChild>
      <Button variant="ghost" size="icon" aria-label={t("close")} className="-mr-1.5 text-muted-foreground">
        <X />
      </Button>
    </RadixDialog.Close>
  );
}

function Heading({ title, description }: Pick<DialogProps, "title" | "description">) {
  return (
    <div className="min-w-0 flex-1">
      <RadixDialog.Title className="font-semibold text-base">{title}</RadixDialog.Title>
      {description ? (
        <RadixDialog.Description className="mt-1 text-muted-foreground">{description}</RadixDialog.Description>
      ) : null}
    </div>
  );
}

const withoutDescription = (description: ReactNode) => (description ? {} : { "aria-describedby": undefined });

/** The window itself takes the focus, not its close button, unless something in it has it: Tab goes on from there. */
function focusWindow(event: Event): void {
  const opened = event.currentTarget;
  if (!(opened instanceof HTMLElement) || opened.contains(document.activeElement)) return;
  event.preventDefault();
  opened.focus();
}

/** A centred dialog for one question or one piece of news. */
export function Dialog(props: DialogProps) {
  const { open, onClose, title, description, children, footer, className, onKeyDown } = props;
  return (
    <RadixDialog.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <RadixDialog.Portal>
        <Overlay />
        <RadixDialog.Content
          {...withoutDescription(description)}
          onOpenAutoFocus={focusWindow}
          onKeyDown={onKeyDown}
          className={cn(
            "data-[state=open]:fade-in-0 data-[state=open]:zoom-in-98 fixed top-1/2 left-1/2 z-50 flex max-h-[90dvh] w-[calc(100vw-2rem)] max-w-md -translate-x-1/2 -translate-y-1/2 flex-col rounded-lg border bg-surface shadow-xl outline-none data-[state=open]:animate-in",
            className,
          )}
        >
          <header className="flex items-start gap-3 px-5 pt-4 pb-3">
            <Heading title={title} description={description} />
            <CloseButton />
          </header>
          {children ? <div className="min-h-0 overflow-y-auto px-5 pb-4">{children}</div> : null}
          {footer ? <footer className="flex flex-wrap justify-end gap-2 border-t px-5 py-3">{footer}</footer> : null}
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

type SheetProps = Omit<DialogProps, "onKeyDown"> & {
  side?: "left" | "right" | undefined;
  /** A form stays open when somebody clicks beside it. */
  modalForm?: boolean;
};

const SIDES = {
  left: "left-0 border-r data-[state=open]:slide-in-from-left-8",
  right: "right-0 border-l data-[state=open]:slide-in-from-right-8",
} as const;

/** A drawer: from the left to create, from the right to edit (console §1.5), full width on a phone. */
export function Sheet(props: SheetProps) {
  const { open, onClose, title, description, children, footer, side = "right", modalForm, className } = props;
  return (
    <RadixDialog.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <RadixDialog.Portal>
        <Overlay />
        <RadixDialog.Content
          {...withoutDescription(description)}
          onPointerDownOutside={(event) => (modalForm ? event.preventDefault() : undefined)}
          onOpenAutoFocus={focusWindow}
          className={cn(
            "data-[state=open]:fade-in-0 fixed inset-y-0 z-50 flex w-full max-w-150 flex-col bg-surface shadow-xl outline-none data-[state=open]:animate-in",
            SIDES[side],
            className,
          )}
        >
          <header className="flex items-start gap-3 border-b px-5 py-3.5">
            <Heading title={title} description={description} />
            <CloseButton />
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{children}</div>
          {footer ? <footer className="flex justify-end gap-2 border-t px-5 py-3">{footer}</footer> : null}
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}
