"use client";

import { Megaphone, X } from "lucide-react";
import { useTranslations } from "next-intl";
import { type ReactNode, useId, useState } from "react";
import { useInBrowser } from "@/components/format/time";
import { Button } from "@/components/ui/button";
import { readStored, writeStored } from "@/components/ui/stored";

const KEY = "notice";

/** The site's notice on the home page, until the user dismisses this text. */
export function HomeNotice({ text, children }: { text: string; children: ReactNode }) {
  const t = useTranslations("notify.centre");
  const id = useId();
  const inBrowser = useInBrowser();
  const [closed, setClosed] = useState(false);
  if (!inBrowser || closed || readStored(KEY) === text) return null;
  const onClose = () => {
    writeStored(KEY, text);
    setClosed(true);
  };
  return (
    <section
      aria-labelledby={id}
      className="fixed right-4 bottom-4 z-30 flex max-h-[60dvh] w-[min(28rem,calc(100vw-2rem))] items-start gap-3 overflow-y-auto rounded-lg border bg-surface px-4 py-3 shadow-lg"
    >
      <Megaphone className="mt-0.5 size-4.5 shrink-0 text-primary" aria-hidden />
      <div className="min-w-0 flex-1">
        <h2 dir="auto" id={id} className="font-semibold">
          {t("announcement")}
        </h2>
        <div className="mt-1">{children}</div>
      </div>
      <Button variant="ghost" size="icon" aria-label={t("announcementDone")} onClick={onClose}>
        <X />
      </Button>
    </section>
  );
}
