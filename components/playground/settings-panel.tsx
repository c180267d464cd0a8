"use client";

import { ChevronDown, RotateCcw } from "lucide-react";
import { useTranslations } from "next-intl";
import { useId, useState } from "react";
import { Field } from "@/components/form/field";
import { NumberInput } from "@/components/form/number-input";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { Input } from "@/components/ui/input";
import { Textarea } from "@/components/ui/textarea";
import type { PlaygroundGroup } from "@/lib/playground/types";
import { GroupModelFields } from "./group-model-fields";
import { newSettings, type PlaygroundSettings, TEMPERATURE } from "./settings";

type SettingsPanelProps = {
  settings: PlaygroundSettings;
  onSettings: (change: Partial<PlaygroundSettings>) => void;
  groups: readonly PlaygroundGroup[];
  model: string;
  onModel: (model: string) => void;
};

const MAX_TOKENS_MAX = 1_000_000;

export function SettingsPanel({ settings, onSettings, groups, model, onModel }: SettingsPanelProps) {
  const t = useTranslations("playground");
  const group = groups.find(({ name }) => name === settings.group);
  return (
    <div className="flex flex-col gap-4">
      <GroupModelFields
        groups={groups}
        group={settings.group}
        onGroup={(name) => onSettings({ group: name })}
        models={group?.models.chat ?? []}
        model={model}
        onModel={onModel}
      />
      <Temperature value={settings.temperature} onValue={(temperature) => onSettings({ temperature })} />
      <Field label={t("maxTokens")} hint={t("maxTokensHint")}>
        {(control) => (
          <NumberInput
            {...control}
            max={MAX_TOKENS_MAX}
            value={settings.maxTokens}
            onChange={(event) => onSettings({ maxTokens: toWhole(event.target.value) })}
          />
        )}
      </Field>
      <Field label={t("system")}>
        {(control) => (
          <Textarea
            {...control}
            rows={4}
            value={settings.system}
            placeholder={t("systemPlaceholder")}
            onChange={(event) => onSettings({ system: event.target.value })}
          />
        )}
      </Field>
      <MoreSettings settings={settings} onSettings={onSettings} />
      {isChanged(settings) ? (
        <Button onClick={() => onSettings(newSettings(settings.group))} className="self-start">
          <RotateCcw aria-hidden />
          {t("resetSettings")}
        </Button>
      ) : null}
    </div>
  );
}

function isChanged(settings: PlaygroundSettings): boolean {
  return JSON.stringify(settings) !== JSON.stringify(newSettings(settings.group));
}

function toWhole(text: string): number {
  const value = Math.floor(Number(text));
  return Number.isFinite(value) ? Math.min(Math.max(value, 0), MAX_TOKENS_MAX) : 0;
}

function Temperature({ value, onValue }: { value: number | null; onValue: (value: number | null) => void }) {
  const t = useTranslations("playground");
  const id = useId();
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex items-center justify-between gap-3">
        <label htmlFor={id} className="font-medium text-sm">
          {t("temperature")}
        </label>
        <output htmlFor={id} data-testid="temperature" className="text-muted-foreground text-xs tabular-nums">
          {value === null ? t("temperatureUnset") : value.toFixed(1)}
        </output>
      </div>
      <div className="flex items-center gap-2">
        <input
          id={id}
          type="range"
          {...TEMPERATURE}
          value={value ?? TEMPERATURE.min}
          aria-valuetext={value === null ? t("temperatureUnset") : value.toFixed(1)}
          onChange={(event) => onValue(Number(event.target.value))}
          className="min-w-0 flex-1 accent-primary"
        />
        <Button variant="ghost" disabled={value === null} onClick={() => onValue(null)}>
          {t("unset")}
        </Button>
      </div>
    </div>
  );
}

const NUMBERS = [
  { key: "topP", min: 0, max: 1, step: 0.05 },
  { key: "presencePenalty", min: -2, max: 2, step: 0.1 },
  { key: "frequencyPenalty", min: -2, max: 2, step: 0.1 },
  { key: "seed", min: 0, max: 2_147_483_647, step: 1 },
] as const;

function MoreSettings({ settings, onSettings }: Pick<SettingsPanelProps, "settings" | "onSettings">) {
  const t = useTranslations("playground");
  const [open, setOpen] = useState(false);
  return (
    <div className="flex flex-col gap-4 border-t pt-3">
      <Button variant="ghost" aria-expanded={open} onClick={() => setOpen(!open)} className="self-start">
        <ChevronDown className={cn("transition-transform", open && "rotate-180")} aria-hidden />
        {t("more")}
      </Button>
      {open ? (
        <>
          {NUMBERS.map(({ key, ...bounds }) => (
            <Field key={key} label={t(key)}>
              {(control) => (
                <Input
                  {...control}
                  type="number"
                  {...bounds}
                  value={settings[key] ?? ""}
                  placeholder={t("notSet")}
                  onChange={(event) => onSettings({ [key]: toNumber(event.target.value, bounds) })}
                />
              )}
            </Field>
          ))}
          <Field label={t("stopWords")} hint={t("stopWordsHint")}>
            {(control) => (
              <Textarea
                {...control}
                rows={2}
                value={settings.stop}
                onChange={(event) => onSettings({ stop: event.target.value })}
              />
            )}
          </Field>
        </>
      ) : null}
    </div>
  );
}

function toNumber(text: string, { min, max }: { min: number; max: number }): number | null {
  const value = Number(text);
  return text.trim() === "" || !Number.isFinite(value) ? null : Math.min(Math.max(value, min), max);
}
