"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { createLatest } from "@/components/form/latest";
import { useRunAction } from "@/components/form/use-run-action";
import { EffectView } from "@/components/price-effect/effect-view";
import type { SaveResult, SettingActions } from "@/components/setting/setting-actions";
import { Input } from "@/components/ui/input";
import { toast } from "@/components/ui/toast";
import type { ActionResult } from "@/lib/http/action";
import type { PriceDraftInput } from "@/lib/pricing/effect/schemas";
import type { PriceEffect } from "@/lib/pricing/effect/types";
import { DraftCard } from "./draft-card";
import { useAppliedNotice } from "./use-applied-notice";

type GroupDraftProps = {
  /** The text of GroupRatio in force. */
  saved: string;
  preview: (input: PriceDraftInput) => Promise<ActionResult<PriceEffect>>;
  save: SettingActions["saveOptions"];
};

/** Ratios of groups as they would be, against the last seven days' traffic. */
export function GroupDraft({ saved, preview, save }: GroupDraftProps) {
  const t = useTranslations("whatIf");
  const inForce = JSON.parse(saved) as Record<string, number>;
  const groups = Object.entries(inForce);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [effect, setEffect] = useState<PriceEffect | null>(null);
  const [latest] = useState(createLatest);
  const previewing = useRunAction();
  const applying = useRunAction();
  const showApplied = useAppliedNotice();
  const textOf = (name: string, ratio: number) => texts[name] ?? String(ratio);
  const changes = groups.filter(([name, ratio]) => textOf(name, ratio).trim() !== String(ratio)).length;
  const isWrong = groups.some(([name, ratio]) => !isRatio(textOf(name, ratio)));
  const toValue = () =>
    JSON.stringify(Object.fromEntries(groups.map(([name, ratio]) => [name, Number(textOf(name, ratio))])));
  const onPreview = () =>
    previewing.run(() => preview({ changes: [{ key: "GroupRatio", value: toValue() }] }), latest.only(setEffect));
  /** The effect of another draft says nothing of this one. */
  const dropEffect = () => {
    latest.forget();
    setEffect(null);
  };
  const onApply = () => {
    const value = toValue();
    const set = (text: string, base: string) => save({ changes: [{ key: "GroupRatio", value: text, base }] });
    const problemOf = ([result]: SaveResult[]) => result?.message ?? null;
    applying.run(
      () => set(value, saved),
      (results) => {
        const problem = problemOf(results);
        if (problem === null) showApplied(() => set(saved, value), problemOf);
        else toast.error(problem);
      },
    );
  };
  const onText = (name: string, text: string) => {
    setTexts((before) => ({ ...before, [name]: text }));
    dropEffect();
  };
  return (
    <DraftCard
      title={t("groups")}
      text={t("groupsText")}
      changes={changes}
      error={isWrong ? t("ratioInvalid") : null}
      pending={{ preview: previewing.pending, apply: applying.pending }}
      onPreview={onPreview}
      onApply={onApply}
      onDiscard={() => {
        setTexts({});
        dropEffect();
      }}
      effect={effect ? <EffectView effect={effect} /> : null}
    >
      <DataTable
        caption={t("groups")}
        columns={useRatioColumns(textOf, onText)}
        rows={groups}
        rowKey={([name]) => name}
      />
    </DraftCard>
  );
}

type Group = [name: string, ratio: number];

function useRatioColumns(
  textOf: (...group: Group) => string,
  onText: (name: string, text: string) => void,
): Column<Group>[] {
  const t = useTranslations("whatIf");
  return [
    {
      id: "group",
      header: t("group"),
      heading: true,
      cell: ([name]) => (
        <span dir="auto" className="wrap-anywhere font-medium">
          {name}
        </span>
      ),
    },
    { id: "now", header: t("ratioNow"), align: "right", cell: ([, ratio]) => String(ratio) },
    {
      id: "draft",
      header: t("ratioDraft"),
      align: "right",
      cell: ([name, ratio]) => (
        <Input
          aria-label={t("ratioOf", { group: name })}
          aria-invalid={isRatio(textOf(name, ratio)) ? undefined : true}
          value={textOf(name, ratio)}
          inputMode="decimal"
          autoComplete="off"
          onChange={(event) => onText(name, event.target.value)}
          className="ml-auto h-8 w-24 text-right tabular-nums"
        />
      ),
    },
  ];
}

function isRatio(text: string): boolean {
  const value = Number(text);
  return text.trim() !== "" && value >= 0 && value <= 1e9;
}
