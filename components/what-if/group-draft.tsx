"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { ClashList } from "@/components/form/clash-list";
import { createLatest } from "@/components/form/latest";
import { useRunAction } from "@/components/form/use-run-action";
import { previewDraft } from "@/components/price-effect/actions";
import { EffectView } from "@/components/price-effect/effect-view";
import { saveOptions } from "@/components/setting/actions";
import type { SaveResult } from "@/components/setting/card-draft";
import { Input } from "@/components/ui/input";
import { toast } from "@/components/ui/toast";
import type { PriceEffect } from "@/lib/pricing/effect/types";
import { differingEntries, mergeTexts } from "@/lib/seen";
import { DraftCard } from "./draft-card";
import { useAppliedNotice } from "./use-applied-notice";

type Draft = { base: string; texts: Readonly<Record<string, string>>; clash: string | null };

const saveRatios = (value: string, base: string) => saveOptions({ changes: [{ key: "GroupRatio", value, base }] });

/** Ratios of groups as they would be, against the last seven days' traffic. `saved`: the text of GroupRatio in force. */
export function GroupDraft({ saved }: { saved: string }) {
  const t = useTranslations("whatIf");
  const draft = useDraft(saved);
  const { base, clash, groups, textOf, changes, toValue } = draft;
  const [effect, setEffect] = useState<PriceEffect | null>(null);
  const [latest] = useState(createLatest);
  const previewing = useRunAction();
  const applying = useRunAction();
  const showApplied = useAppliedNotice();
  const isWrong = groups.some(([name, ratio]) => !isRatio(textOf(name, ratio)));
  const onPreview = () =>
    previewing.run(() => previewDraft({ changes: [{ key: "GroupRatio", value: toValue() }] }), latest.only(setEffect));
  /** The effect of another draft says nothing of this one. */
  const dropEffect = () => {
    latest.forget();
    setEffect(null);
  };
  const onApply = () => {
    const value = toValue();
    const problemOf = ([result]: SaveResult[]) => result?.message ?? null;
    applying.run(
      () => saveRatios(value, base),
      (results) => {
        const problem = problemOf(results);
        const stored = results[0]?.stored ?? null;
        if (problem === null) {
          draft.begin(stored ?? value);
          return showApplied(() => saveRatios(base, value), problemOf);
        }
        draft.refuse(stored);
        toast.error(problem);
      },
    );
  };
  const onText = (name: string, text: string) => {
    draft.type(name, text);
    dropEffect();
  };
  const [theirs, mine] = clash === null ? ["", ""] : differingEntries(base, clash, toValue());
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
        draft.begin(saved);
        dropEffect();
      }}
      effect={effect ? <EffectView effect={effect} /> : null}
    >
      <ClashList
        className="mx-4 mb-3"
        clashes={clash === null ? [] : [{ field: "GroupRatio", label: t("groups"), mine, theirs }]}
        onChoose={(_, choice) => {
          draft.settle(choice);
          dropEffect();
        }}
      />
      <DataTable
        caption={t("groups")}
        columns={useRatioColumns(textOf, onText)}
        rows={groups}
        rowKey={([name]) => name}
      />
    </DraftCard>
  );
}

/**
 * The draft and the ratios that it began with. Those of a page that is renewed behind it are taken while nothing is typed, and else
 * not at all.
 */
function useDraft(saved: string) {
  const [{ base, texts, clash }, setDraft] = useState<Draft>({ base: saved, texts: {}, clash: null });
  const [begunFrom, setBegunFrom] = useState(saved);
  const groups = Object.entries(JSON.parse(base) as Record<string, number>);
  const textOf = (name: string, ratio: number) => texts[name] ?? String(ratio);
  const changes = groups.filter(([name, ratio]) => textOf(name, ratio).trim() !== String(ratio)).length;
  const begin = (from: string) => setDraft({ base: from, texts: {}, clash: null });
  if (changes === 0 && begunFrom !== saved) {
    setBegunFrom(saved);
    begin(saved);
  }
  const toValue = () =>
    JSON.stringify(Object.fromEntries(groups.map(([name, ratio]) => [name, Number(textOf(name, ratio))])));
  const settle = (choice: "mine" | "theirs") => {
    const stored = clash ?? base;
    const text = mergeTexts(base, stored, toValue(), choice === "mine" ? "wanted" : "stored")?.text ?? stored;
    const wanted = Object.entries(JSON.parse(text) as Record<string, number>);
    const next = Object.fromEntries(wanted.map(([name, ratio]) => [name, String(ratio)]));
    setDraft({ base: stored, texts: next, clash: null });
  };
  const type = (name: string, text: string) =>
    setDraft((before) => ({ ...before, texts: { ...before.texts, [name]: text } }));
  const refuse = (stored: string | null) => setDraft((before) => ({ ...before, clash: stored }));
  return { base, clash, groups, textOf, changes, toValue, begin, settle, type, refuse };
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
