"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { createLatest } from "@/components/form/latest";
import { useRunAction } from "@/components/form/use-run-action";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { Switch } from "@/components/ui/switch";
import type { ActionResult } from "@/lib/http/action";
import type { ApplyRoutingInput, RoutingDraft } from "@/lib/pricing/routing/schemas";
import type { RoutingEffect, RoutingRow } from "@/lib/pricing/routing/types";
import { DraftCard } from "./draft-card";
import { RoutingEffectView } from "./routing-effect";
import { useAppliedNotice } from "./use-applied-notice";

const STEP = 20;

type RoutingDraftProps = {
  channels: RoutingRow[];
  preview: (input: RoutingDraft) => Promise<ActionResult<RoutingEffect>>;
  apply: (input: ApplyRoutingInput) => Promise<ActionResult<{ count: number }>>;
};

type Cells = { priority: string; weight: string; isEnabled: boolean };
type Drafts = Readonly<Record<number, Cells>>;

const cellsOf = ({ priority, weight, isEnabled }: RoutingRow): Cells => {
  return { priority: String(priority), weight: String(weight), isEnabled };
};
const isChanged = (row: RoutingRow, cells: Cells): boolean =>
  Number(cells.priority) !== row.priority || Number(cells.weight) !== row.weight || cells.isEnabled !== row.isEnabled;
const isWhole = (text: string): boolean => /^-?\d{1,9}$/.test(text.trim());

/** Priorities, weights and switches of channels as they would be, against the last day's requests. */
export function RoutingDraftForm({ channels, preview, apply }: RoutingDraftProps) {
  const t = useTranslations("whatIf");
  const [drafts, setDrafts] = useState<Drafts>({});
  const [effect, setEffect] = useState<RoutingEffect | null>(null);
  const [count, setCount] = useState(STEP);
  const [latest] = useState(createLatest);
  const previewing = useRunAction();
  const applying = useRunAction();
  const showApplied = useAppliedNotice();
  const of = (row: RoutingRow) => drafts[row.id] ?? cellsOf(row);
  const changed = channels.filter((row) => isChanged(row, of(row)));
  const isWrong = changed.some((row) => !isWhole(of(row).priority) || !isWhole(of(row).weight));
  const wanted = changed.map((row) => {
    const { priority, weight, isEnabled } = of(row);
    return { id: row.id, priority: Number(priority), weight: Number(weight), isEnabled };
  });
  /** The effect of another draft says nothing of this one. */
  const dropEffect = () => {
    latest.forget();
    setEffect(null);
  };
  const set = (row: RoutingRow, change: Partial<Cells>) => {
    setDrafts((before) => ({ ...before, [row.id]: { ...of(row), ...change } }));
    dropEffect();
  };
  const discard = () => {
    setDrafts({});
    dropEffect();
  };
  const onApply = () => {
    const seenOf = new Map(changed.map(({ id, priority, weight, isEnabled }) => [id, { priority, weight, isEnabled }]));
    const sent = wanted.flatMap((row) => {
      const seen = seenOf.get(row.id);
      return seen ? [{ ...row, seen }] : [];
    });
    const opposite = sent.map(({ id, seen, ...to }) => ({ id, ...seen, seen: to }));
    applying.run(
      () => apply({ channels: sent }),
      () => {
        discard();
        showApplied(
          () => apply({ channels: opposite }),
          () => null,
        );
      },
    );
  };
  return (
    <DraftCard
      title={t("routing")}
      text={t("routingText")}
      changes={changed.length}
      error={isWrong ? t("numberInvalid") : null}
      pending={{ preview: previewing.pending, apply: applying.pending }}
      onPreview={() => previewing.run(() => preview({ channels: wanted }), latest.only(setEffect))}
      onApply={onApply}
      onDiscard={discard}
      effect={effect ? <RoutingEffectView effect={effect} /> : null}
    >
      <DataTable
        caption={t("routing")}
        columns={useRoutingColumns(of, set)}
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
