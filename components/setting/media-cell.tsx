"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { Field } from "@/components/form/field";
import { useMeterNames } from "@/components/format/meter-names";
import { formatDecimal } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Input } from "@/components/ui/input";
import {
  MEDIA_RATIOS,
  type MediaAmounts,
  type MediaRatios,
  toMediaAmounts,
  toMediaRatios,
} from "@/lib/billing/media-prices";
import { ApplyDialog } from "./apply-dialog";
import { PriceLines } from "./price-lines";
import { isPerCall, readMediaCell } from "./pricing-rows";
import { isAmount, type Row } from "./row-editor";
import { useSetting } from "./setting-context";

const DIGITS = 6;
const UNIT_TOKENS = 1_000_000;

type MediaCellProps = { row: Row; onCells: (row: Row, change: Record<string, string>) => void };

/** What a million tokens of sound and of pictures cost, or the maker's prices where the operator set none. */
export function MediaCell({ row, onCells }: MediaCellProps) {
  const t = useTranslations("setting");
  const { labelOf } = useMeterNames();
  const { symbol } = useQuotaDisplay();
  const { builtInPrices, quotaPerUnit } = useSetting();
  const [isOpen, setOpen] = useState(false);
  const { name = "", ratio = "" } = row.cells;
  const builtIn = Object.hasOwn(builtInPrices, name) ? builtInPrices[name] : undefined;
  const own = readMediaCell(row.cells);
  const isOwn = Object.keys(own).length > 0;
  const input = ((isAmount(ratio) ? Number(ratio) : (builtIn?.ratio ?? 0)) * UNIT_TOKENS) / quotaPerUnit;
  const amounts = toMediaAmounts({ ...builtIn?.media, ...own }, input);
  const lines = Object.entries(amounts);
  return (
    <PriceLines
      lines={lines.map(([key, amount]) => ({ key, text: `${labelOf(key)} ${symbol}${formatDecimal(amount, DIGITS)}` }))}
      isOwn={isOwn}
      editLabel={t("mediaEdit", { name })}
      isDisabled={isPerCall(row.cells) || input === 0}
      onEdit={() => setOpen(true)}
    >
      {isOpen ? (
        <MediaDialog
          name={name}
          own={isOwn ? toMediaAmounts({ ...builtIn?.media, ...own }, input) : {}}
          builtIn={toMediaAmounts(builtIn?.media ?? {}, input)}
          onAmounts={(given) => onCells(row, { media: writeMedia(toMediaRatios(given, input)) })}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </PriceLines>
  );
}

/** Ratios with as many digits as the price editor writes. */
function writeMedia(ratios: MediaRatios): string {
  const entries = Object.entries(ratios).map(([field, ratio]) => [field, Number(ratio.toPrecision(12))]);
  return entries.length === 0 ? "" : JSON.stringify(Object.fromEntries(entries));
}

type MediaDialogProps = {
  name: string;
  own: MediaAmounts;
  builtIn: MediaAmounts;
  onAmounts: (amounts: MediaAmounts) => void;
  onClose: () => void;
};

/** Sets the prices of sound and pictures; an empty field costs what the maker takes, else as much as text. */
function MediaDialog({ name, own, builtIn, onAmounts, onClose }: MediaDialogProps) {
  const t = useTranslations("setting");
  const { labelOf } = useMeterNames();
  const { symbol } = useQuotaDisplay();
  const text = (value: number | undefined) => (value === undefined ? "" : String(Number(value.toPrecision(12))));
  const [texts, setTexts] = useState<Record<string, string>>(() =>
    Object.fromEntries(MEDIA_RATIOS.map(({ amount }) => [amount, text(own[amount])])),
  );
  const given = Object.entries(texts).filter(([, typed]) => typed.trim() !== "");
  const isValid = given.every(([, typed]) => isAmount(typed));
  const [issue, setIssue] = useState(false);
  const onApply = () => {
    if (!isValid) return setIssue(true);
    onAmounts(Object.fromEntries(given.map(([amount, typed]) => [amount, Number(typed)])));
    onClose();
  };
  return (
    <ApplyDialog title={t("mediaEdit", { name })} description={t("mediaText")} onApply={onApply} onClose={onClose}>
      <div className="grid grid-cols-2 gap-3 pt-1">
        {MEDIA_RATIOS.map(({ amount }) => (
          <Field
            key={amount}
            label={t("mediaPrice", { kind: labelOf(amount), symbol })}
            error={issue && texts[amount]?.trim() && !isAmount(texts[amount]) ? t("row.number") : undefined}
          >
            {(control) => (
              <Input
                {...control}
                value={texts[amount]}
                placeholder={text(builtIn[amount])}
                inputMode="decimal"
                autoComplete="off"
                onChange={(event) => setTexts({ ...texts, [amount]: event.target.value })}
              />
            )}
          </Field>
        ))}
      </div>
    </ApplyDialog>
  );
}
