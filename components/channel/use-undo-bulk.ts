"use client";

import { useTranslations } from "next-intl";
import { useRunAction } from "@/components/form/use-run-action";
import { toast } from "@/components/ui/toast";
import { undoBulk } from "./bulk-actions";

const SAID_MS = 10_000;
const NAMES_SHOWN = 5;

/** Undoes a bulk change and reports the rows that were skipped because somebody has changed them since. */
export function useUndoBulk(): (id: number, onDone?: () => void) => void {
  const t = useTranslations("channel");
  const { run } = useRunAction();
  return (id, onDone) =>
    run(
      () => undoBulk({ id }),
      ({ undone, kept }) => {
        onDone?.();
        if (undone > 0) toast.success(t("undone", { count: undone }), { duration: 3000 });
        if (kept.length === 0) return;
        const names = kept.slice(0, NAMES_SHOWN).map((row) => `#${row.id} ${row.name}`);
        const more = kept.length > NAMES_SHOWN ? "…" : "";
        toast.warning(t("notUndone", { count: kept.length }), {
          duration: SAID_MS,
          description: names.join(", ") + more,
        });
      },
    );
}
