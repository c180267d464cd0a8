"use client";

import { useTranslations } from "next-intl";
import { useId } from "react";
import { PasswordInput } from "@/components/auth/password-input";
import { Field } from "@/components/form/field";
import { FormSection } from "@/components/form/form-section";
import { Input } from "@/components/ui/input";
import { Label } from "@/components/ui/label";
import type { NotificationEvent } from "@/lib/notify/events";
import { fieldsOf, type TargetKind } from "@/lib/notify/target-kinds";
import { useFieldText } from "./notification-kind";

type FieldsProps = {
  kind: TargetKind;
  config: Record<string, string>;
  /** The target is already saved: its secrets exist but are not sent to the browser. */
  saved: boolean;
  errors: Record<string, string>;
  onConfig: (config: Record<string, string>) => void;
};

export function NotificationFields({ kind, config, saved, errors, onConfig }: FieldsProps) {
  const t = useTranslations("notify");
  const common = useTranslations("common");
  const text = useFieldText(kind);
  return fieldsOf(kind).map(({ name, secret, optional, input }) => {
    const { label, hint } = text(name);
    const value = config[name] ?? "";
    const shared = {
      value,
      autoComplete: secret ? "new-password" : "off",
      spellCheck: false,
      autoCapitalize: "none",
      placeholder: secret && saved ? t("secretKept") : undefined,
      onChange: (event: { target: { value: string } }) => onConfig({ ...config, [name]: event.target.value }),
    };
    return (
      <Field
        key={name}
        label={label}
        hint={hint}
        error={errors[`config.${name}`]}
        aside={optional ? <span className="text-muted-foreground text-xs">{common("optional")}</span> : undefined}
      >
        {(control) =>
          secret ? (
            <PasswordInput {...control} {...shared} />
          ) : (
            <Input {...control} {...shared} type={input ?? "text"} />
          )
        }
      </Field>
    );
  });
}

type EventsProps = {
  offered: NotificationEvent[];
  chosen: NotificationEvent[];
  onChosen: (chosen: NotificationEvent[]) => void;
};

export function NotificationEvents({ offered, chosen, onChosen }: EventsProps) {
  const t = useTranslations("notify");
  const id = useId();
  const onToggle = (event: NotificationEvent, on: boolean) =>
    onChosen(offered.filter((known) => (known === event ? on : chosen.includes(known))));
  return (
    <FormSection title={t("eventsTitle")}>
      <ul className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
        {offered.map((event) => (
          <li key={event} className="flex items-start gap-2">
            <input
              id={`${id}-${event}`}
              type="checkbox"
              checked={chosen.includes(event)}
              onChange={({ target }) => onToggle(event, target.checked)}
              className="mt-0.5 size-4 accent-primary"
            />
            <Label htmlFor={`${id}-${event}`} className="font-normal">
              {t(`eventName.${event}`)}
            </Label>
          </li>
        ))}
      </ul>
    </FormSection>
  );
}
