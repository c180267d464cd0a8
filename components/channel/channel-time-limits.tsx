"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { Field } from "@/components/form/field";
import { FormSection } from "@/components/form/form-section";
import { Input } from "@/components/ui/input";
import { LIMIT_NAMES, LIMIT_SECONDS_MAX, type LimitName } from "@/lib/time-limits";
import type { ChannelSectionProps } from "./channel-draft";
import { badTimeLimits, readTimeLimits, withTimeLimit } from "./time-limit-setting";

type TimeLimitsProps = Pick<ChannelSectionProps, "draft" | "onChange"> & {
  /** The site's limits in seconds. */
  usual: Record<LimitName, number>;
};

/** How long this upstream is waited for. The fields are entries of the channel's setting, which is the only place they are kept. */
export function ChannelTimeLimits({ draft, onChange, usual }: TimeLimitsProps) {
  const t = useTranslations("timeLimit");
  const [typed, setTyped] = useState<Partial<Record<LimitName, string>>>({});
  const { setting } = draft;
  const texts = readTimeLimits(setting);
  if (!texts) return null;
  const bad = badTimeLimits(setting);
  // What is typed stays as it is typed ("0.") while it says the same as the setting.
  const shown = (name: LimitName) => {
    const text = typed[name];
    return text !== undefined && withTimeLimit(setting, name, text) === withTimeLimit(setting, name, texts[name])
      ? text
      : texts[name];
  };
  return (
    <FormSection title={t("title")}>
      <p className="text-muted-foreground text-xs">{t("hint")}</p>
      <div className="grid gap-4 sm:grid-cols-2">
        {LIMIT_NAMES.map((name) => (
          <Field
            key={name}
            label={t(`name.${name}`)}
            error={bad.includes(name) ? t("bad", { max: String(LIMIT_SECONDS_MAX) }) : undefined}
          >
            {(control) => (
              <Input
                {...control}
                value={shown(name)}
                inputMode="decimal"
                placeholder={usual[name] === 0 ? t("none") : String(usual[name])}
                autoComplete="off"
                onChange={(event) => {
                  setTyped({ ...typed, [name]: event.target.value });
                  onChange({ setting: withTimeLimit(setting, name, event.target.value) });
                }}
                className="tabular-nums"
              />
            )}
          </Field>
        ))}
      </div>
    </FormSection>
  );
}
