"use client";

import { Download, GitCompareArrows } from "lucide-react";
import { useTranslations } from "next-intl";
import { type FormEvent, useId, useState } from "react";
import { downloadText } from "@/components/form/download-text";
import { Field } from "@/components/form/field";
import { useRunAction } from "@/components/form/use-run-action";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import type { PriceListInput } from "@/lib/pricing/sync/schemas";
import { exportPrices } from "./actions";
import { isDollar, knownDollarRate, parseRate } from "./dollar-rate";

const SCHEME = "https://";
const LITELLM = {
  name: "LiteLLM",
  url: "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json",
};

type ListAddressProps = {
  pending: boolean;
  onCompare: (list: PriceListInput) => void;
};

/** The address of the list, and the export of one's own. */
export function ListAddress({ pending, onCompare }: ListAddressProps) {
  const t = useTranslations("priceSync");
  const known = useId();
  const [url, setUrl] = useState("");
  const display = useQuotaDisplay();
  const [rate, setRate] = useState(() => knownDollarRate(display));
  const [errors, setErrors] = useState<{ url?: string; rate?: string }>({});
  const exporting = useRunAction();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const isAddress = /^https?:\/\//i.test(url.trim()) && URL.canParse(url.trim());
    const perDollar = parseRate(rate);
    setErrors({
      ...(isAddress ? {} : { url: t("addressInvalid") }),
      ...(perDollar === null ? { rate: t("rateInvalid") } : {}),
    });
    if (isAddress && perDollar !== null) onCompare({ url: url.trim(), rate: perDollar });
  };
  const onExport = () =>
    exporting.run(
      () => exportPrices({}),
      (exported) => downloadText("weir-prices.json", `${JSON.stringify(exported, null, 2)}\n`),
    );
  return (
    <section className="mb-4 rounded-lg border bg-surface px-5 py-4">
      <form noValidate onSubmit={onSubmit}>
        <Field label={t("address")} hint={t("addressHint")} error={errors.url}>
          {(control) => (
            <Input
              {...control}
              type="url"
              inputMode="url"
              list={known}
              value={url}
              placeholder={SCHEME}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setUrl(event.target.value)}
            />
          )}
        </Field>
        <datalist id={known}>
          <option value={LITELLM.url}>{LITELLM.name}</option>
        </datalist>
        {isDollar(display.symbol) ? null : (
          <div className="mt-3 sm:max-w-md">
            <Field label={t("rate", { symbol: display.symbol.trim() })} hint={t("rateHint")} error={errors.rate}>
              {(control) => (
                <Input
                  {...control}
                  inputMode="decimal"
                  value={rate}
                  autoComplete="off"
                  onChange={(event) => setRate(event.target.value)}
                />
              )}
            </Field>
          </div>
        )}
        <div className="mt-3 flex flex-wrap gap-2">
          <Button type="submit" variant="primary" size="md" pending={pending}>
            {pending ? null : <GitCompareArrows aria-hidden />}
            {t("compare")}
          </Button>
          <Button size="md" pending={exporting.pending} onClick={onExport}>
            {exporting.pending ? null : <Download aria-hidden />}
            {t("export")}
          </Button>
        </div>
      </form>
    </section>
  );
}
