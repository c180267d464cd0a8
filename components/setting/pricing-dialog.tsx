"use client";

import { useTranslations } from "next-intl";
import { type FormEvent, useId, useState } from "react";
import { Field } from "@/components/form/field";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { Segmented } from "@/components/ui/segmented";
import { pricingCells, toCompletionPrice, toCompletionRatio, toPrice, toRatio } from "./pricing-rows";
import { type CellIssue, type Cells, isAmount } from "./row-editor";
import { useSetting } from "./setting-context";
import { useTyped } from "./use-typed";

type PricingDialogProps = {
  taken: readonly string[];
  onAdd: (cells: Cells) => void;
  onClose: () => void;
};
type Draft = { name: string; mode: "ratio" | "call"; price: string; ratio: string; completion: string };

/** Errors by field. */
function checkDraft(draft: Draft, taken: readonly string[]): Record<string, CellIssue> {
  const name = draft.name.trim();
  const needed = draft.mode === "call" ? (["price"] as const) : (["ratio", "completion"] as const);
  const bad = needed.filter((cell) => !isAmount(draft[cell]) && !(cell === "completion" && draft.completion === ""));
  return {
    ...(name === "" ? { name: "nameMissing" } : taken.includes(name) ? { name: "nameTaken" } : {}),
    ...Object.fromEntries(bad.map((cell) => [cell, "number"] as const)),
  };
}

/** Adds a model with its price: per call, by ratios, or by the price of a million tokens. */
export function PricingDialog({ taken, onAdd, onClose }: PricingDialogProps) {
  const t = useTranslations("setting");
  const { symbol } = useQuotaDisplay();
  const formId = useId();
  const [draft, setDraft] = useState<Draft>({ name: "", mode: "ratio", price: "", ratio: "", completion: "" });
  const [errors, setErrors] = useState<Record<string, string>>({});
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    // The dialog is inside the card's form; without this its submit event would save the card.
    event.stopPropagation();
    const found = Object.entries(checkDraft(draft, taken));
    setErrors(Object.fromEntries(found.map(([field, issue]) => [field, t(`row.${issue}`)])));
    if (found.length > 0) return;
    const { name, mode, price, ratio, completion } = draft;
    onAdd(
      pricingCells(
        name.trim(),
        mode === "call" ? { price, ratio: "", completion: "" } : { price: "", ratio, completion },
        mode,
      ),
    );
    onClose();
  };
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  return (
    <Modal
      open
      onClose={onClose}
      title={t("addModel")}
      description={t("addModelText")}
      footer={<AddButtons form={formId} onClose={onClose} />}
    >
      <form id={formId} noValidate onSubmit={onSubmit} className="flex flex-col gap-4 pt-1">
        <TextField
          label={t("modelName")}
          value={draft.name}
          error={errors.name}
          onValue={(name) => set({ name })}
          autoFocus
        />
        <Segmented
          label={t("priceMode")}
          value={draft.mode}
          choices={[
            { value: "ratio", label: t("modeRatio") },
            { value: "call", label: t("modeCall") },
          ]}
          onValue={(mode) => set({ mode })}
          className="self-start"
        />
        {draft.mode === "call" ? (
          <TextField
            label={t("pricePerCall", { symbol })}
            value={draft.price}
            error={errors.price}
            onValue={(price) => set({ price })}
          />
        ) : (
          <RatioFields draft={draft} errors={errors} onChange={set} />
        )}
      </form>
    </Modal>
  );
}

function AddButtons({ form, onClose }: { form: string; onClose: () => void }) {
  const t = useTranslations("common");
  return (
    <>
      <Button size="md" onClick={onClose}>
        {t("cancel")}
      </Button>
      <Button size="md" variant="primary" type="submit" form={form}>
        {t("add")}
      </Button>
    </>
  );
}

type RatioFieldsProps = { draft: Draft; errors: Record<string, string>; onChange: (change: Partial<Draft>) => void };

function RatioFields({ draft, errors, onChange }: RatioFieldsProps) {
  const t = useTranslations("setting");
  const { quotaPerUnit } = useSetting();
  const { symbol } = useQuotaDisplay();
  const { ratio, completion } = draft;
  return (
    <div className="grid grid-cols-2 gap-3">
      <TextField
        label={t("modelRatio")}
        value={ratio}
        error={errors.ratio}
        onValue={(text) => onChange({ ratio: text })}
      />
      <TextField
        label={t("promptPrice", { symbol })}
        value={toPrice(ratio, quotaPerUnit)}
        onValue={(text) => onChange({ ratio: toRatio(text, quotaPerUnit) })}
      />
      <TextField
        label={t("completionRatio")}
        value={completion}
        error={errors.completion}
        onValue={(text) => onChange({ completion: text })}
      />
      <TextField
        label={t("completionPrice", { symbol })}
        value={toCompletionPrice(ratio, completion, quotaPerUnit)}
        onValue={(text) => onChange({ completion: toCompletionRatio(text, ratio, quotaPerUnit) })}
      />
    </div>
  );
}

type TextFieldProps = {
  label: string;
  value: string;
  error?: string | undefined;
  onValue: (text: string) => void;
  autoFocus?: boolean;
};

function TextField({ label, value, error, onValue, autoFocus = false }: TextFieldProps) {
  const { text, onText, onLeave } = useTyped(value, onValue);
  return (
    <Field label={label} error={error}>
      {(control) => (
        <Input
          {...control}
          value={text}
          autoComplete="off"
          spellCheck={false}
          autoFocus={autoFocus}
          onChange={(event) => onText(event.target.value)}
          onBlur={onLeave}
        />
      )}
    </Field>
  );
}
