"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { ClashList, type ShownClash } from "@/components/form/clash-list";
import { useShownValue } from "@/components/form/edit-clashes";
import { createLatest } from "@/components/form/latest";
import { useRunAction } from "@/components/form/use-run-action";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { Switch } from "@/components/ui/switch";
import type { Clash } from "@/lib/errors";
import type { RoutingEffect, RoutingRow } from "@/lib/pricing/routing/types";
import { applyRouting, previewRouting } from "./actions";
import { DraftCard } from "./draft-card";
import { RoutingEffectView } from "./routing-effect";
import { useAppliedNotice } from "./use-applied-notice";

const STEP = 20;

type Cells = { priority: string; weight: string; isEnabled: boolean };
type Draft = { row: RoutingRow; cells: Cells };
type Drafts = Readonly<Record<number, Draft>>;

const cellsOf = ({ priority, weight, isEnabled }: RoutingRow): Cells => {
  return { priority: String(priority), weight: String(weight), isEnabled };
};
const isChanged = (row: RoutingRow, cells: Cells): boolean =>
  Number(cells.priority) !== row.priority || Number(cells.weight) !== row.weight || cells.isEnabled !== row.isEnabled;
const isWhole = (text: string): boolean => /^-?\d{1,9}$/.test(text.trim());

/** Priorities, weights and switches of channels as they would be, against the last day's requests. */
export function RoutingDraftForm({ channels }: { channels: RoutingRow[] }) {
  const t = useTranslations("whatIf");
  const [effect, setEffect] = useState<RoutingEffect | null>(null);
  const [count, setCount] = useState(STEP);
  const [latest] = useState(createLatest);
  /** The effect of another draft says nothing of this one. */
  const dropEffect = () => {
    latest.forget();
    setEffect(null);
  };
  const draft = useDraft(channels, dropEffect);
  const { of, changed, clashes } = draft;
  const previewing = useRunAction();
  const applying = useRunAction();
  const showApplied = useAppliedNotice();
  const isWrong = changed.some((row) => !isWhole(of(row).priority) || !isWhole(of(row).weight));
  const wanted = changed.map((row) => {
    const { priority, weight, isEnabled } = of(row);
    return { id: row.id, priority: Number(priority), weight: Number(weight), isEnabled };
  });
  const onApply = () => {
    const seenOf = new Map(changed.map(({ id, priority, weight, isEnabled }) => [id, { priority, weight, isEnabled }]));
    const sent = wanted.flatMap((row) => {
      const seen = seenOf.get(row.id);
      return seen ? [{ ...row, seen }] : [];
    });
    const opposite = sent.map(({ id, seen, ...to }) => ({ id, ...seen, seen: to }));
    applying.run(
      () => applyRouting({ channels: sent }),
      () => {
        draft.discard();
        showApplied(
          () => applyRouting({ channels: opposite }),
          () => null,
        );
      },
      (failure) => draft.refuse(failure.clashes ?? []),
    );
  };
  return (
    <DraftCard
      title={t("routing")}
      text={t("routingText")}
      changes={changed.length}
      error={isWrong ? t("numberInvalid") : null}
      pending={{ preview: previewing.pending, apply: applying.pending }}
      onPreview={() => previewing.run(() => previewRouting({ channels: wanted }), latest.only(setEffect))}
      onApply={onApply}
      onDiscard={draft.discard}
      effect={effect ? <RoutingEffectView effect={effect} /> : null}
    >
      <ClashList className="mx-4 mb-3" clashes={useShownClashes(clashes, changed, of)} onChoose={draft.settle} />
      <DataTable
        caption={t("routing")}
        columns={useRoutingColumns(of, draft.set)}
        rows={channels.slice(0, count)}
        rowKey={({ id }) => id}
        isMuted={(row) => !of(row).isEnabled}
      />
      {channels.length > count ? (
        <div className="flex justify-center border-t p-3">
          <Button onClick={() => setCount(count + 5 * STEP)}>{t("more", { count: channels.length - count })}</Button>
        </div>
      ) : null}
    </DraftCard>
  );
}

/** The cells of the rows that were touched, each with the row that it began with: a page that is renewed meanwhile has another one. */
function useDraft(channels: readonly RoutingRow[], onTouched: () => void) {
  const [drafts, setDrafts] = useState<Drafts>({});
  const [clashes, setClashes] = useState<readonly Clash[]>([]);
  const draftOf = (row: RoutingRow): Draft => {
    const draft = drafts[row.id];
    return draft && isChanged(draft.row, draft.cells) ? draft : { row, cells: cellsOf(row) };
  };
  const of = (row: RoutingRow) => draftOf(row).cells;
  const changed = channels.map((row) => draftOf(row).row).filter((row) => isChanged(row, of(row)));
  const put = (draft: Draft) => {
    setDrafts((before) => ({ ...before, [draft.row.id]: draft }));
    onTouched();
  };
  const set = (row: RoutingRow, change: Partial<Cells>) => {
    const draft = draftOf(row);
    put({ row: draft.row, cells: { ...draft.cells, ...change } });
  };
  const discard = () => {
    setDrafts({});
    setClashes([]);
    onTouched();
  };
  const settle = (field: string, choice: "mine" | "theirs") => {
    const clash = clashes.find((one) => one.field === field);
    const row = changed.find(({ id }) => field.startsWith(`${id}.`));
    if (!clash || !row) return;
    const name = field.slice(field.indexOf(".") + 1);
    const next: RoutingRow = { ...row, [name]: clash.stored };
    const taken = choice === "mine" ? [] : Object.entries(cellsOf(next)).filter(([cell]) => cell === name);
    put({ row: next, cells: { ...of(row), ...Object.fromEntries(taken) } });
    setClashes((before) => before.filter((one) => one !== clash));
  };
  return { of, changed, clashes, set, discard, settle, refuse: setClashes };
}

/** What somebody else has changed of a channel meanwhile. */
function useShownClashes(
  clashes: readonly Clash[],
  changed: readonly RoutingRow[],
  of: (row: RoutingRow) => Cells,
): ShownClash[] {
  const t = useTranslations("whatIf");
  const show = useShownValue();
  return clashes.flatMap(({ field, stored }) => {
    const row = changed.find(({ id }) => field.startsWith(`${id}.`));
    if (!row) return [];
    const { name } = row;
    const { priority, weight, isEnabled } = of(row);
    const shown = { theirs: show(stored), field };
    if (field.endsWith(".priority")) return [{ ...shown, label: t("priorityOf", { name }), mine: priority }];
    if (field.endsWith(".weight")) return [{ ...shown, label: t("weightOf", { name }), mine: weight }];
    return [{ ...shown, label: t("enabledOf", { name }), mine: show(isEnabled) }];
  });
}

type SetCells = (row: RoutingRow, change: Partial<Cells>) => void;

function useRoutingColumns(of: (row: RoutingRow) => Cells, set: SetCells): Column<RoutingRow>[] {
  const t = useTranslations("whatIf");
  const field = (row: RoutingRow, name: "priority" | "weight") => (
    <Input
      aria-label={t(`${name}Of`, { name: row.name })}
      aria-invalid={isWhole(of(row)[name]) ? undefined : true}
      value={of(row)[name]}
      inputMode="numeric"
      autoComplete="off"
      onChange={(event) => set(row, { [name]: event.target.value })}
      className="ml-auto h-8 w-20 text-right tabular-nums"
    />
  );
  return [
    {
      id: "channel",
      header: t("channel"),
      heading: true,
      cell: (row) => (
        <span dir="auto" className="wrap-anywhere font-medium">
          {row.name} <span className="text-muted-foreground text-xs">#{row.id}</span>
        </span>
      ),
    },
    { id: "groups", header: t("inGroups"), className: "break-words", cell: (row) => row.groups.join(", ") },
    { id: "models", header: t("models"), align: "right", cell: (row) => row.models },
    { id: "priority", header: t("priority"), align: "right", cell: (row) => field(row, "priority") },
    { id: "weight", header: t("weight"), align: "right", cell: (row) => field(row, "weight") },
    {
      id: "enabled",
      header: t("enabled"),
      align: "right",
      cell: (row) => (
        <Switch
          aria-label={t("enabledOf", { name: row.name })}
          checked={of(row).isEnabled}
          onCheckedChange={(isEnabled) => set(row, { isEnabled })}
        />
      ),
    },
  ];
}
