"use client";

import { Plus, Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useMeterNames } from "@/components/format/meter-names";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { NativeSelect } from "@/components/ui/native-select";
import type { MeterPrices } from "@/lib/meters";
import { METERS } from "@/lib/meters";
import { ApplyDialog } from "./apply-dialog";
import { checkMeterLines, type MeterLine, toMeterLines, toMeterPrices } from "./meter-lines";

type MeterDialogProps = {
  name: string;
  prices: MeterPrices;
  onPrices: (prices: MeterPrices) => void;
  onClose: () => void;
};

/** Adds, changes and removes the prices of a model's meters. */
export function MeterDialog({ name, prices, onPrices, onClose }: MeterDialogProps) {
  const t = useTranslations("setting");
  const common = useTranslations("common");
  const [lines, setLines] = useState(() => toMeterLines(prices));
  const [issue, setIssue] = useState(false);
  const onApply = () => {
    if (!checkMeterLines(lines)) return setIssue(true);
    onPrices(toMeterPrices(lines));
    onClose();
  };
  const onLine = (at: number, change: Partial<MeterLine>) =>
    setLines(lines.map((line, index) => (index === at ? { ...line, ...change } : line)));
  const next = Math.max(0, ...lines.map(({ id }) => id + 1));
  return (
    <ApplyDialog
      title={t("meterEdit", { name })}
      description={t("meterText")}
      className="sm:max-w-xl"
      onApply={onApply}
      onClose={onClose}
    >
      <div className="flex flex-col gap-2 pt-1">
        {lines.map((line, at) => (
          <MeterLineFields
            key={line.id}
            line={line}
            position={at + 1}
            onLine={(change) => onLine(at, change)}
            onRemove={() => setLines(lines.filter(({ id }) => id !== line.id))}
          />
        ))}
        {issue && !checkMeterLines(lines) ? (
          <p role="alert" className="text-destructive text-xs">
            {t("meterIssue")}
          </p>
        ) : null}
        <Button
          className="self-start"
          onClick={() => setLines([...lines, { id: next, meter: "picture", variant: "", usd: "" }])}
        >
          <Plus aria-hidden />
          {common("add")}
        </Button>
      </div>
    </ApplyDialog>
  );
}

type MeterLineFieldsProps = {
  line: MeterLine;
  position: number;
  onLine: (change: Partial<MeterLine>) => void;
  onRemove: () => void;
};

function MeterLineFields({ line, position, onLine, onRemove }: MeterLineFieldsProps) {
  const t = useTranslations("setting");
  const { names } = useMeterNames();
  const { symbol } = useQuotaDisplay();
  return (
    // A phone has the unit and its price in one row, and the variant below.
    <div className="grid grid-cols-[minmax(0,1fr)_6.5rem_auto] items-center gap-2 max-sm:border-b max-sm:pb-2 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_7rem_auto]">
      <NativeSelect
        aria-label={`${t("meterUnit")} ${position}`}
        value={line.meter}
        onChange={(event) => onLine({ meter: METERS.find((meter) => meter === event.target.value) ?? line.meter })}
      >
        {METERS.map((meter) => (
          <option key={meter} value={meter}>
            {names[meter]}
          </option>
        ))}
      </NativeSelect>
      <Input
        className="max-sm:order-last max-sm:col-span-2"
        aria-label={`${t("meterVariant")} ${position}`}
        placeholder={t("meterVariant")}
        value={line.variant}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onLine({ variant: event.target.value })}
      />
      <Input
        aria-label={`${t("meterPrice", { symbol })} ${position}`}
        placeholder={t("meterPrice", { symbol })}
        value={line.usd}
        inputMode="decimal"
        autoComplete="off"
        onChange={(event) => onLine({ usd: event.target.value })}
      />
      <Button
        variant="ghost"
        size="icon"
        aria-label={t("removeRow", { name: `${names[line.meter]} ${line.variant}`.trim() })}
        onClick={onRemove}
      >
        <Trash2 />
      </Button>
    </div>
  );
}
