"use client";

import { CirclePlay, CircleSlash, UsersRound, X } from "lucide-react";
import { useTranslations } from "next-intl";

import { type ReactNode, useState } from "react";
import { useRunAction } from "@/components/form/use-run-action";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import type { ChangeableUser } from "@/lib/user/types";
import { applyToUsers } from "./actions";
import { type BulkChange, BulkDialog } from "./bulk-dialog";
import type { UserRow } from "./user-row";

type BulkBarProps = {
  selected: ChangeableUser[];
  /** Selectable rows of this page. */
  selectable: UserRow[];
  groups: string[];
  /** Selects the rows of all pages. */
  matching: ReactNode;
  onSelect: (rows: readonly UserRow[], isOn: boolean) => void;
  onClear: () => void;
};

/** Actions for all selected rows; each one opens a preview dialog first. */
export function BulkBar({ selected, selectable, groups, matching, onSelect, onClear }: BulkBarProps) {
  const t = useTranslations("user");
  const { pending, run } = useRunAction();
  const [kind, setKind] = useState<BulkChange["kind"] | null>(null);
  if (selected.length === 0) return null;
  const isPageChosen = selectable.every((row) => selected.some(({ id }) => id === row.id));

  const onApply = (ids: number[], change: BulkChange) =>
    run(
      () => applyToUsers({ ids, change }),
      ({ done, failed }) => {
        setKind(null);
        onClear();
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
      {isPageChosen ? null : (
        <Button variant="ghost" onClick={() => onSelect(selectable, true)}>
          {t("selectPage", { count: selectable.length })}
        </Button>
      )}
      {matching}
      <Button onClick={() => setKind("enable")}>
        <CirclePlay aria-hidden />
        {t("unban")}
      </Button>
      <Button onClick={() => setKind("disable")}>
        <CircleSlash aria-hidden />
        {t("ban")}
      </Button>
      <Button onClick={() => setKind("group")}>
        <UsersRound aria-hidden />
        {t("changeGroup")}
      </Button>
      <Button variant="ghost" size="icon" aria-label={t("selectNone")} onClick={onClear} className="ml-auto">
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
