"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { Field } from "@/components/form/field";
import { FormSection } from "@/components/form/form-section";
import { Input } from "@/components/ui/input";
import { type ChannelSectionProps, isJsonObjectOrEmpty } from "./channel-draft";
import { readCostTexts, withCostFactor, withCostPrices } from "./cost-setting";
import { JsonField } from "./json-field";

/** What the upstream takes. Both fields are entries of the channel's setting, which is the only place they are kept. */
export function ChannelCosts({ draft, onChange, errors }: Pick<ChannelSectionProps, "draft" | "onChange" | "errors">) {
  const t = useTranslations("channel");
  const texts = readCostTexts(draft.setting);
  const [typed, setTyped] = useState({ factor: "", prices: "" });
  if (!texts) return null;
  const { setting } = draft;
  // What is typed stays as it is typed ("0.", line breaks) while it says the same as the setting.
  const isSame = (change: typeof withCostFactor, a: string, b: string) => change(setting, a) === change(setting, b);
  const factor = isSame(withCostFactor, typed.factor, texts.factor) ? typed.factor : texts.factor;
  const prices = isSame(withCostPrices, typed.prices, texts.prices) ? typed.prices : texts.prices;
  return (
    <FormSection title={t("costs")}>
      <Field label={t("costFactor")} hint={t("costFactorHint")} error={errors.setting}>
        {(control) => (
          <Input
            {...control}
            value={factor}
            inputMode="decimal"
            placeholder="1"
            autoComplete="off"
            onChange={(event) => {
              setTyped({ ...typed, factor: event.target.value });
              onChange({ setting: withCostFactor(setting, event.target.value) });
            }}
          />
        )}
      </Field>
      <JsonField
        field="costPrices"
        label={t("costPrices")}
        hint={t("costPricesHint")}
        value={prices}
        error={isJsonObjectOrEmpty(prices) ? undefined : t("jsonBad")}
        onValue={(text) => {
          setTyped({ ...typed, prices: text });
          onChange({ setting: withCostPrices(setting, text) });
        }}
      />
    </FormSection>
  );
}
