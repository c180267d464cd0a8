"use client";

import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { Field } from "@/components/form/field";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { textOf } from "./card-draft";
import { FieldFrame, type OptionFieldProps } from "./field-frame";
import { FieldTools } from "./field-tools";
import { useOptionText } from "./option-text";

/** A secret is write-only: empty on load, and blank keeps the stored value. Deleting it has its own button. */
export function SecretField({ view, state, dispatch, hint }: OptionFieldProps & { hint: ReactNode }) {
  const t = useTranslations("setting");
  const { label } = useOptionText();
  const isRemoved = state.removed.includes(view.key);
  const onText = (text: string) => dispatch({ type: "text", key: view.key, text });
  const aside = (
    <span className="flex items-center gap-1">
      <Badge hue={view.isSet && !isRemoved ? "green" : "grey"}>{secretState(view.isSet, isRemoved, t)}</Badge>
      <FieldTools view={view} state={state} onDefault={() => undefined} />
    </span>
  );
  return (
    <FieldFrame view={view}>
      <Field label={label(view.key)} hint={hint} error={state.errors[view.key]} aside={aside}>
        {(control) => (
          <div className="flex gap-2">
            <Input
              {...control}
              type="password"
              value={textOf(state, view)}
              placeholder={view.isSet ? t("secretKept") : t("secretEmpty")}
              autoComplete="new-password"
              spellCheck={false}
              onChange={(event) => onText(event.target.value)}
            />
            {view.isSet ? (
              <Button
                size="md"
                aria-label={t(isRemoved ? "secretKeepOf" : "secretRemoveOf", { name: label(view.key) })}
                onClick={() => (isRemoved ? onText("") : dispatch({ type: "default", view }))}
              >
                {isRemoved ? t("secretKeep") : t("secretRemove")}
              </Button>
            ) : null}
          </div>
        )}
      </Field>
    </FieldFrame>
  );
}

function secretState(isSet: boolean, isRemoved: boolean, t: ReturnType<typeof useTranslations<"setting">>): string {
  if (isRemoved) return t("secretGoing");
  return isSet ? t("secretSet") : t("secretUnset");
}
