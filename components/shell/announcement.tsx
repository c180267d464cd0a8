"use client";

import { Megaphone, X } from "lucide-react";
import { useTranslations } from "next-intl";
import { type ReactNode, useId, useState } from "react";
import { callApi } from "@/components/form/call-api";
import { useReportFailure } from "@/components/form/use-report-failure";
import { Button } from "@/components/ui/button";

/** The operator's announcement, until the user dismisses it. New content has a new fingerprint and is shown again. */
export function Announcement({ fingerprint, children }: { fingerprint: string; children: ReactNode }) {
  const t = useTranslations("notify.centre");
  const id = useId();
  const report = useReportFailure();
  const [open, setOpen] = useState(true);
  if (!open) return null;
  const onClose = () => {
    setOpen(false);
    callApi("/api/user/notification/announcement", { method: "POST", body: { fingerprint } }).catch(report);
  };
  return (
    <section aria-labelledby={id} className="mb-4 flex items-start gap-3 rounded-lg border bg-surface px-4 py-3">
      <Megaphone className="mt-0.5 size-4.5 shrink-0 text-primary" aria-hidden />
      <div className="min-w-0 flex-1">
        <h2 dir="auto" id={id} className="font-semibold">
          {t("announcement")}
        </h2>
        {/* Long announcements scroll, so the region must be focusable. */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls */}
        <div tabIndex={0} className="mt-1 max-h-64 overflow-y-auto">
          {children}
        </div>
      </div>
      <Button variant="ghost" size="icon" aria-label={t("announcementDone")} onClick={onClose}>
        <X />
      </Button>
    </section>
  );
}
