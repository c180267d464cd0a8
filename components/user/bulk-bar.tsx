"use client";

import { CirclePlay, CircleSlash, UsersRound, X } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { toast } from "sonner";
import { useRunAction } from "@/components/form/use-run-action";
import { Button } from "@/components/ui/button";
import type { ApplyBulk, BulkChange } from "./bulk-change";
import { BulkDialog } from "./bulk-dialog";
import type { UserRow } from "./user-row";

type BulkBarProps = {
  selected: UserRow[];
  /** Rows of this page that can be selected. */
  selectable: UserRow[];
  groups: string[];
  apply: ApplyBulk;
  onSelect: (ids: Iterable<number>) => void;
};

/** What can be done to all selected rows at once; each step is shown before it is taken. */
export function BulkBar({ selected, selectable, groups, apply, onSelect }: BulkBarProps) {
  const t = useTranslations("user");
  const common = useTranslations("common");
  const { pending, run } = useRunAction();
  const [kind, setKind] = useState<BulkChange["kind"] | null>(null);
  if (selected.length === 0) return null;

  const onApply = (ids: number[], change: BulkChange) =>
    run(
      () => apply({ ids, change }),
      ({ done, failed }) => {
        setKind(null);
        if (done > 0) toast.success(t("bulkDone", { count: done }), { duration: 3000 });
        for (const { id, message } of failed)
          toast.error(t("bulkFailed", { id: String(id), message }), { duration: 10_000 });
      },
    );
  return (
    <section
      aria-label={t("bulk")}
      className="flex flex-wrap items-center gap-2 border-b bg-accent px-4 py-2 text-accent-foreground"
    >
      <span className="mr-1 font-medium tabular-nums">{t("selected", { count: selected.length })}</span>
      {selected.length < selectable.length ? (
        <Button variant="ghost" onClick={() => onSelect(selectable.map(({ id }) => id))}>
          {t("selectPage", { count: selectable.length })}
        </Button>
      ) : null}
      <Button onClick={() => setKind("enable")}>
        <CirclePlay aria-hidden />
        {common("enable")}
      </Button>
      <Button onClick={() => setKind("disable")}>
        <CircleSlash aria-hidden />
        {common("disable")}
      </Button>
      <Button onClick={() => setKind("group")}>
        <UsersRound aria-hidden />
        {t("changeGroup")}
      </Button>
      <Button variant="ghost" size="icon" aria-label={t("selectNone")} onClick={() => onSelect([])} className="ml-auto">
        <X />
      </Button>
      {kind ? (
        <BulkDialog
          kind={kind}
          users={selected}
          groups={groups}
          pending={pending}
          onClose={() => setKind(null)}
          onApply={onApply}
        />
      ) : null}
    </section>
  );
}
