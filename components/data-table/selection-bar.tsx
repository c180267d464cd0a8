"use client";

import { CirclePlay, CircleSlash, Trash2, X } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { useRunAction } from "@/components/form/use-run-action";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import type { ActionResult } from "@/lib/http/action";
import type { BulkOutcome, RowChange } from "./apply-to-each";
import { useSelection } from "./selection";

type SelectionBarProps = {
  change: (input: { ids: number[]; change: RowChange }) => Promise<ActionResult<BulkOutcome>>;
};

const DONE_MS = 3_000;
const FAILED_MS = 10_000;

/** What can be done with the selected rows; appears with a selection. */
export function SelectionBar({ change }: SelectionBarProps) {
  const t = useTranslations("list");
  const common = useTranslations("common");
  const { ids, clear } = useSelection();
  const { pending, run } = useRunAction();
  const [asked, setAsked] = useState<"disable" | "delete" | null>(null);
  if (ids.size === 0) return null;
  const start = (wanted: RowChange) =>
    run(
      () => change({ ids: [...ids], change: wanted }),
      ({ done, failed }) => {
        setAsked(null);
        clear();
        if (done > 0) toast.success(t("bulkDone", { count: done }), { duration: DONE_MS });
        for (const { id, message } of failed)
          toast.error(t("bulkFailed", { id: String(id), message }), { duration: FAILED_MS });
      },
    );
  const question = { disable: t("bulkDisable", { count: ids.size }), delete: t("bulkDelete", { count: ids.size }) };
  return (
    <section
      aria-label={t("bulk")}
      className="flex flex-wrap items-center gap-2 border-b bg-accent px-4 py-2 text-accent-foreground"
    >
      <span aria-live="polite" className="mr-1 font-medium tabular-nums">
        {t("selected", { count: ids.size })}
      </span>
      <Button pending={pending} onClick={() => start("enable")}>
        <CirclePlay aria-hidden />
        {common("enable")}
      </Button>
      <Button onClick={() => setAsked("disable")}>
        <CircleSlash aria-hidden />
        {common("disable")}
      </Button>
      <Button className="text-destructive" onClick={() => setAsked("delete")}>
        <Trash2 aria-hidden />
        {common("delete")}
      </Button>
      <Button variant="ghost" size="icon" aria-label={t("selectNone")} onClick={clear} className="ml-auto">
        <X />
      </Button>
      <ConfirmDialog
        open={asked !== null}
        onClose={() => setAsked(null)}
        onConfirm={() => (asked ? start(asked) : undefined)}
        pending={pending}
        title={question[asked ?? "delete"]}
        text={asked === "disable" ? t("bulkDisableText") : t("bulkDeleteText")}
        confirm={common(asked ?? "delete")}
        danger
      />
    </section>
  );
}
