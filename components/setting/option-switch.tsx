"use client";

import { useTranslations } from "next-intl";
import { type ReactNode, useId, useState } from "react";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { Label } from "@/components/ui/label";
import { Switch } from "@/components/ui/switch";
import { textOf } from "./card-draft";
import { FieldFrame, type OptionFieldProps } from "./field-frame";
import { FieldTools } from "./field-tools";
import { useOptionText } from "./option-text";

/** A switch. Turning password login off asks first, because it may lock everybody out (A151). */
export function OptionSwitch({ view, state, dispatch, hint }: OptionFieldProps & { hint: ReactNode }) {
  const t = useTranslations("setting");
  const { label } = useOptionText();
  const id = useId();
  const [asking, setAsking] = useState(false);
  const isOn = textOf(state, view) === "true";
  const error = state.errors[view.key];
  const set = (on: boolean) => dispatch({ type: "text", key: view.key, text: String(on) });
  const onToggle = (on: boolean) => {
    if (view.key === "PasswordLoginEnabled" && !on) setAsking(true);
    else set(on);
  };
  const described = [hint ? `${id}-hint` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ");
  return (
    <FieldFrame view={view}>
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <Label htmlFor={id}>{label(view.key)}</Label>
          {hint ? (
            <p id={`${id}-hint`} className="mt-0.5 text-muted-foreground text-xs">
              {hint}
            </p>
          ) : null}
          {error ? (
            <p id={`${id}-error`} className="mt-1 text-destructive text-xs" role="alert">
              {error}
            </p>
          ) : null}
        </div>
        <div className="flex items-center gap-1.5">
          <FieldTools view={view} state={state} onDefault={() => dispatch({ type: "default", view })} />
          <Switch
            id={id}
            checked={isOn}
            onCheckedChange={onToggle}
            {...(described ? { "aria-describedby": described } : {})}
          />
        </div>
      </div>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={() => {
          set(false);
          setAsking(false);
        }}
        pending={false}
        title={t("passwordLoginOffTitle")}
        text={t("passwordLoginOffText")}
        confirm={t("passwordLoginOffConfirm")}
      />
    </FieldFrame>
  );
}
