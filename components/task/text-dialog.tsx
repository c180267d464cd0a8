"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { CopyButton } from "@/components/form/copy-button";
import { Modal } from "@/components/overlay/modal";

type TextCellProps = { label: string; text: string };

/** A text truncated to its column; a dialog shows all of it. */
export function TextCell({ label, text }: TextCellProps) {
  const t = useTranslations("common");
  const [open, setOpen] = useState(false);
  if (text === "") return t("none");
  return (
    <>
      <button
        dir="auto"
        type="button"
        onClick={() => setOpen(true)}
        aria-label={`${label}: ${text.slice(0, 80)}`}
        className="inline-block max-w-48 truncate md:max-w-20 2xl:max-w-25 rounded text-left align-bottom text-primary underline-offset-2 hover:underline"
      >
        {text}
      </button>
      <Modal
        open={open}
        onClose={() => setOpen(false)}
        title={label}
        className="max-w-200"
        footer={<CopyButton text={text}>{t("copy")}</CopyButton>}
      >
        <div
          dir="auto"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          className="max-h-100 overflow-y-auto whitespace-pre-wrap break-words leading-relaxed"
        >
          {text}
        </div>
      </Modal>
    </>
  );
}
