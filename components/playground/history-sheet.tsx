"use client";

import { Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { Time } from "@/components/format/time";
import { Drawer } from "@/components/overlay/drawer";
import { Button } from "@/components/ui/button";
import { type Conversation, titleOf } from "./conversation";
import { HISTORY_MAX } from "./history";

type HistorySheetProps = {
  open: boolean;
  onClose: () => void;
  history: readonly Conversation[];
  onOpen: (conversation: Conversation) => void;
  onForget: (id: string) => void;
  onForgetAll: () => void;
};

export function HistorySheet({ open, onClose, history, onOpen, onForget, onForgetAll }: HistorySheetProps) {
  const t = useTranslations("playground");
  const footer = history.length > 0 ? <ForgetAll count={history.length} onForgetAll={onForgetAll} /> : null;
  return (
    <Drawer
      open={open}
      onClose={onClose}
      title={t("history")}
      description={t("historyText", { max: String(HISTORY_MAX) })}
      footer={footer}
      className="max-w-md"
    >
      {history.length === 0 ? <p className="text-muted-foreground">{t("historyEmpty")}</p> : null}
      <ul className="flex flex-col gap-1">
        {history.map((conversation) => (
          <li key={conversation.id} className="flex items-start gap-1">
            <button
              type="button"
              onClick={() => onOpen(conversation)}
              className="min-w-0 flex-1 rounded-md px-2.5 py-2 text-left hover:bg-muted"
            >
              <span className="block truncate font-medium">{titleOf(conversation)}</span>
              <span className="block truncate text-muted-foreground text-xs">
                {conversation.lanes.map((lane) => lane.model).join(", ")}
              </span>
              <span className="block text-muted-foreground text-xs">
                <Time seconds={Math.floor(conversation.updatedAt / 1000)} />
              </span>
            </button>
            <Button
              variant="ghost"
              size="icon"
              aria-label={t("forget", { title: titleOf(conversation) })}
              onClick={() => onForget(conversation.id)}
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

function ForgetAll({ count, onForgetAll }: { count: number; onForgetAll: () => void }) {
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
        title={t("forgetAllTitle")}
        text={t("forgetAllText", { count })}
        confirm={t("forgetAll")}
      />
    </>
  );
}
