"use client";

import { Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { Time } from "@/components/format/time";
import { Drawer } from "@/components/overlay/drawer";
import { Button } from "@/components/ui/button";

type HistoryItem = {
  id: string;
  title: string;
  models: string;
  /** Unix seconds of its last change. */
  seconds: number;
};

type HistorySheetProps = {
  open: boolean;
  onClose: () => void;
  items: readonly HistoryItem[];
  /** What is kept and how much of it; and the question before all of it is deleted. */
  texts: Record<"about" | "empty" | "forgetAllTitle" | "forgetAllText", string>;
  onOpen: (id: string) => void;
  onForget: (id: string) => void;
  onForgetAll: () => void;
};

/** What this browser keeps of earlier calls. */
export function HistorySheet({ open, onClose, items, texts, onOpen, onForget, onForgetAll }: HistorySheetProps) {
  const t = useTranslations("playground");
  return (
    <Drawer
      open={open}
      onClose={onClose}
      title={t("history")}
      description={texts.about}
      footer={items.length > 0 ? <ForgetAll texts={texts} onForgetAll={onForgetAll} /> : null}
      className="max-w-md"
    >
      {items.length === 0 ? <p className="text-muted-foreground">{texts.empty}</p> : null}
      <ul className="flex flex-col gap-1">
        {items.map(({ id, title, models, seconds }) => (
          <li key={id} className="flex items-start gap-1">
            <button
              type="button"
              onClick={() => onOpen(id)}
              className="min-w-0 flex-1 rounded-md px-2.5 py-2 text-left hover:bg-muted"
            >
              <span dir="auto" className="block truncate font-medium">
                {title}
              </span>
              <span dir="auto" className="block truncate text-muted-foreground text-xs">
                {models}
              </span>
              <span className="block text-muted-foreground text-xs">
                <Time seconds={seconds} />
              </span>
            </button>
            <Button
              variant="ghost"
              size="icon"
              aria-label={t("forget", { title })}
              onClick={() => onForget(id)}
              className="mt-1.5 text-muted-foreground"
            >
              <Trash2 />
            </Button>
          </li>
        ))}
      </ul>
    </Drawer>
  );
}

function ForgetAll({ texts, onForgetAll }: Pick<HistorySheetProps, "texts" | "onForgetAll">) {
  const t = useTranslations("playground");
  const [asked, setAsked] = useState(false);
  const onConfirm = () => {
    setAsked(false);
    onForgetAll();
  };
  return (
    <>
      <Button variant="destructive" size="md" onClick={() => setAsked(true)}>
        {t("forgetAll")}
      </Button>
      <ConfirmDialog
        open={asked}
        onClose={() => setAsked(false)}
        onConfirm={onConfirm}
        pending={false}
        title={texts.forgetAllTitle}
        text={texts.forgetAllText}
        confirm={t("forgetAll")}
      />
    </>
  );
}
