"use client";

import { useTranslations } from "next-intl";
import { Field } from "@/components/form/field";
import { Button } from "@/components/ui/button";
import { Textarea } from "@/components/ui/textarea";
import { TEMPLATES } from "./channel-templates";

type JsonFieldProps = {
  field: keyof typeof TEMPLATES;
  label: string;
  hint?: string;
  value: string;
  error: string | undefined;
  onValue: (value: string) => void;
};

/** They may hold keys, passwords of proxies and headers. */
const SECRETS: ReadonlySet<string> = new Set(["serviceAccount", "setting", "paramOverride"]);

export function JsonField({ field, label, hint, value, error, onValue }: JsonFieldProps) {
  const t = useTranslations("channel");
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      aside={
        <Button
          variant="ghost"
          className="h-6 px-1.5 font-normal text-primary text-xs"
          aria-label={`${label}: ${t("insertTemplate")}`}
          onClick={() => onValue(TEMPLATES[field])}
        >
          {t("insertTemplate")}
        </Button>
      }
    >
      {(control) => (
        <Textarea
          {...control}
          data-secret={SECRETS.has(field) ? "" : undefined}
          value={value}
          placeholder={TEMPLATES[field]}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => onValue(event.target.value)}
          className="font-mono text-xs"
        />
      )}
    </Field>
  );
}
