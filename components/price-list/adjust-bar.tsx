"use client";

import { useTranslations } from "next-intl";
import { type FormEvent, useId, useState } from "react";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { NativeSelect } from "@/components/ui/native-select";
import { type Adjustment, adjustmentSchema } from "@/lib/pricing/adjust/schemas";

type AdjustBarProps = {
  count: number;
  pending: boolean;
  onReview: (adjustment: Adjustment) => void;
  /** A link led here to set a price. */
  isOpened: boolean;
};
type Kind = Adjustment["kind"];
type Draft = { kind: Kind; percent: string; input: string; output: string; call: string };

/** Says how the selected prices change. Sticks to the bottom, so that it is at hand however long the list. */
export function AdjustBar({ count, pending, onReview, isOpened }: AdjustBarProps) {
  const t = useTranslations("priceList");
  const errorId = useId();
  const [draft, setDraft] = useState<Draft>({
    kind: isOpened ? "tokens" : "percent",
    percent: "",
    input: "",
    output: "",
    call: "",
  });
  const [isInvalid, setInvalid] = useState(false);
  const set = (change: Partial<Draft>) => {
    setDraft((before) => ({ ...before, ...change }));
    setInvalid(false);
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const read = adjustmentSchema.safeParse(toAdjustment(draft));
    setInvalid(!read.success);
    if (read.success) onReview(read.data);
  };
  const field = (name: "percent" | "input" | "output" | "call") => (
    <Input
      aria-label={t(`field.${name}`)}
      placeholder={t(`placeholder.${name}`)}
      aria-invalid={isInvalid || undefined}
      aria-describedby={isInvalid ? errorId : undefined}
      value={draft[name]}
      inputMode="decimal"
      autoComplete="off"
      autoFocus={isOpened && name === "input"}
      onChange={(event) => set({ [name]: event.target.value })}
      className="w-28"
    />
  );
  return (
    <form
      noValidate
      onSubmit={onSubmit}
      className="sticky bottom-0 z-10 flex flex-wrap items-center gap-2 rounded-b-lg border-t bg-surface px-4 py-2.5"
    >
      <span className="mr-auto text-muted-foreground text-xs" aria-live="polite">
        {t("selected", { count })}
      </span>
      {isInvalid ? (
        <span id={errorId} role="alert" className="text-destructive text-xs">
          {t(draft.kind === "percent" ? "percentInvalid" : "amountInvalid")}
        </span>
      ) : null}
      <NativeSelect
        aria-label={t("kind")}
        value={draft.kind}
        onChange={(event) => set({ kind: event.target.value as Kind })}
        className="w-56"
      >
        <option value="percent">{t("kinds.percent")}</option>
        <option value="tokens">{t("kinds.tokens")}</option>
        <option value="call">{t("kinds.call")}</option>
      </NativeSelect>
      {draft.kind === "percent" ? field("percent") : null}
      {draft.kind === "tokens" ? (
        <>
          {field("input")}
          {field("output")}
        </>
      ) : null}
      {draft.kind === "call" ? field("call") : null}
      <Button type="submit" variant="primary" size="md" disabled={count === 0} pending={pending}>
        {t("review")}
      </Button>
    </form>
  );
}

/** NaN for what is no number, which the schema refuses. */
function toNumber(text: string): number {
  const plain = text.trim().replace(/^\+/, "").replace(/%$/, "").trim();
  return plain === "" ? Number.NaN : Number(plain);
}

function toAdjustment({ kind, percent, input, output, call }: Draft): unknown {
  switch (kind) {
    case "percent":
      return { kind, percent: toNumber(percent) };
    case "tokens":
      return { kind, input: toNumber(input), output: output.trim() === "" ? null : toNumber(output) };
    case "call":
      return { kind, call: toNumber(call) };
  }
}
