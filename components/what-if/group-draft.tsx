"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { toast } from "sonner";
import { DataTable } from "@/components/data-table/data-table";
import { useRunAction } from "@/components/form/use-run-action";
import { EffectView } from "@/components/price-effect/effect-view";
import type { SettingActions } from "@/components/setting/setting-actions";
import { Input } from "@/components/ui/input";
import type { ActionResult } from "@/lib/http/action";
import type { PriceDraftInput } from "@/lib/pricing/effect/schemas";
import type { PriceEffect } from "@/lib/pricing/effect/types";
import { DraftCard } from "./draft-card";

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
  const previewing = useRunAction();
  const applying = useRunAction();
  const textOf = (name: string, ratio: number) => texts[name] ?? String(ratio);
  const changes = groups.filter(([name, ratio]) => textOf(name, ratio).trim() !== String(ratio)).length;
  const isWrong = groups.some(([name, ratio]) => !isRatio(textOf(name, ratio)));
  const toValue = () =>
    JSON.stringify(Object.fromEntries(groups.map(([name, ratio]) => [name, Number(textOf(name, ratio))])));
  const onPreview = () =>
    previewing.run(() => preview({ changes: [{ key: "GroupRatio", value: toValue() }] }), setEffect);
  const onApply = () =>
    applying.run(
      () => save({ changes: [{ key: "GroupRatio", value: toValue(), base: saved }] }),
      ([result]) => {
        if (result?.message) toast.error(result.message);
        else toast.success(t("applied"));
      },
    );
  const columns = [
    {
      id: "group",
      header: t("group"),
      heading: true,
      cell: ([name]: [string, number]) => <span className="break-all font-medium">{name}</span>,
    },
    { id: "now", header: t("ratioNow"), align: "right" as const, cell: ([, ratio]: [string, number]) => String(ratio) },
    {
      id: "draft",
      header: t("ratioDraft"),
      align: "right" as const,
      cell: ([name, ratio]: [string, number]) => (
        <Input
          aria-label={t("ratioOf", { group: name })}
          aria-invalid={isRatio(textOf(name, ratio)) ? undefined : true}
          value={textOf(name, ratio)}
          inputMode="decimal"
          autoComplete="off"
          onChange={(event) => {
            setTexts((before) => ({ ...before, [name]: event.target.value }));
            setEffect(null);
          }}
          className="ml-auto h-8 w-24 text-right tabular-nums"
        />
      ),
    },
  ];
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
        setEffect(null);
      }}
      effect={effect ? <EffectView effect={effect} /> : null}
    >
      <DataTable caption={t("groups")} columns={columns} rows={groups} rowKey={([name]) => name} />
    </DraftCard>
  );
}

function isRatio(text: string): boolean {
  const value = Number(text);
  return text.trim() !== "" && value >= 0 && value <= 1e9;
}
