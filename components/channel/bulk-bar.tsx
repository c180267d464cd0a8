"use client";

import { CirclePlay, CircleSlash, Trash2, X, Zap } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { ExportMenu } from "@/components/data-table/export-menu";
import { filterQuery } from "@/components/data-table/list-params";
import { useRunAction } from "@/components/form/use-run-action";
import { Menu } from "@/components/overlay/menu";
import { Button } from "@/components/ui/button";
import { DropdownMenuItem } from "@/components/ui/dropdown-menu";
import { toast } from "@/components/ui/toast";
import type { BulkTarget } from "@/lib/channel/bulk-schemas";
import type { ChannelFilter } from "@/lib/channel/schemas";
import { startTestRun } from "./actions";
import { BulkDialog } from "./bulk-dialog";
import type { BulkKind } from "./bulk-fields";
import { channelFilterParams } from "./channel-search";
import { useChannelSelection } from "./channel-selection";
import { TestRunDialog } from "./test-run-dialog";

type BulkBarProps = {
  rows: { id: number; name: string }[];
  /** How many rows match the filters; null while "all matching" cannot be chosen. */
  total: number | null;
  filter: ChannelFilter;
  groups: string[];
};

const ERROR_MS = 5000;

/** What is selected and what can be done with it. Each change shows a preview first. */
export function BulkBar({ rows, total, filter, groups }: BulkBarProps) {
  const t = useTranslations("channel");
  const { isOn, chosen, allMatching, choose, chooseAll, clear } = useChannelSelection();
  const [kind, setKind] = useState<BulkKind | null>(null);
  if (!isOn) return null;
  const count = allMatching ?? chosen.size;
  const onPage = rows.every(({ id }) => chosen.has(id));
  const onKind = (wanted: BulkKind) => {
    if (count > 0) return setKind(wanted);
    const missing =
      wanted === "delete" ? t("nothingToDelete") : wanted === "tag" ? t("nothingToTag") : t("nothingChosen");
    toast.error(missing, { duration: ERROR_MS });
  };
  const target = allMatching === null ? { ids: [...chosen.keys()] } : { filter };
  return (
    <section
      aria-label={t("bulk")}
      className="flex flex-wrap items-center gap-2 border-b bg-accent px-4 py-2 text-accent-foreground"
    >
      <span aria-live="polite" className="mr-1 font-medium tabular-nums">
        {t("chosen", { count })}
      </span>
      {allMatching !== null || rows.length === 0 ? null : (
        <Button variant="ghost" onClick={() => choose(rows, !onPage)}>
          {onPage ? t("unchoosePage") : t("choosePage", { count: rows.length })}
        </Button>
      )}
      {total !== null && total > rows.length && allMatching === null ? (
        <Button variant="ghost" onClick={() => chooseAll(total)}>
          {t("chooseMatching", { count: total })}
        </Button>
      ) : null}
      <span className="ml-auto flex flex-wrap gap-1.5">
        <BulkTools count={count} target={target} />
        <BulkButtons onKind={onKind} />
        <Button variant="ghost" size="icon" aria-label={t("chooseNone")} onClick={clear}>
          <X />
        </Button>
      </span>
      {kind ? (
        <BulkDialog kind={kind} target={target} groups={groups} onClose={() => setKind(null)} onDone={clear} />
      ) : null}
    </section>
  );
}

/** With more ids the URL would be too long. "All matching" sends the filters instead. */
const EXPORT_IDS_MAX = 1_000;

type BulkToolsProps = { count: number; target: BulkTarget };

/** The tools that change nothing: test the selected rows, or export them. */
function BulkTools({ count, target }: BulkToolsProps) {
  const t = useTranslations("channel");
  const { pending, run } = useRunAction();
  const [isShown, setShown] = useState(false);
  const filters = filterQuery(useSearchParams(), channelFilterParams);
  const query = "ids" in target ? `ids=${target.ids.join(",")}` : filters;
  const onTest = () => {
    if (count === 0) return void toast.error(t("nothingChosen"), { duration: ERROR_MS });
    run(
      () => startTestRun({ target }),
      () => setShown(true),
    );
  };
  return (
    <>
      <Button pending={pending} onClick={onTest}>
        <Zap aria-hidden />
        {t("test")}
      </Button>
      {count > 0 && (!("ids" in target) || target.ids.length <= EXPORT_IDS_MAX) ? (
        <ExportMenu path="/channel/export" query={query} size="sm" />
      ) : null}
      {isShown ? <TestRunDialog onClose={() => setShown(false)} /> : null}
    </>
  );
}

function BulkButtons({ onKind }: { onKind: (kind: BulkKind) => void }) {
  const t = useTranslations("channel");
  const common = useTranslations("common");
  const more = [
    { kind: "groups", label: t("changeGroups") },
    { kind: "models", label: t("changeModels") },
    { kind: "priority", label: t("changePriority") },
    { kind: "weight", label: t("changeWeight") },
  ] as const;
  return (
    <>
      <Button onClick={() => onKind("enable")}>
        <CirclePlay aria-hidden />
        {common("enable")}
      </Button>
      <Button onClick={() => onKind("disable")}>
        <CircleSlash aria-hidden />
        {common("disable")}
      </Button>
      <Button onClick={() => onKind("tag")}>{t("bulkTag")}</Button>
      <Menu trigger={<Button>{t("changeMore")}</Button>} label={t("changeMore")}>
        {more.map(({ kind, label }) => (
          <DropdownMenuItem key={kind} onSelect={() => onKind(kind)}>
            {label}
          </DropdownMenuItem>
        ))}
      </Menu>
      <Button className="text-destructive" onClick={() => onKind("delete")}>
        <Trash2 aria-hidden />
        {t("deleteChosen")}
      </Button>
    </>
  );
}
