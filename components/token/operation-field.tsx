"use client";

import { useTranslations } from "next-intl";
import { useId } from "react";
import { Checkbox } from "@/components/ui/checkbox";
import { OPERATIONS, type OperationId } from "@/lib/operations";

type OperationFieldProps = {
  value: OperationId[];
  error: string | undefined;
  onValue: (operations: OperationId[]) => void;
};

/** What a key may be used for; none chosen = everything. */
export function OperationField({ value, error, onValue }: OperationFieldProps) {
  const t = useTranslations("token");
  const nameOf = useTranslations("operation");
  const id = useId();
  const toggle = (operation: OperationId, isChosen: boolean) =>
    onValue(OPERATIONS.filter((known) => (known === operation ? isChosen : value.includes(known))));
  return (
    <fieldset aria-describedby={`${id}-hint`} className="flex flex-col gap-2">
      <legend className="mb-2 font-medium text-sm">{t("operations")}</legend>
      <div className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
        {OPERATIONS.map((operation) => (
          <span key={operation} className="flex items-center gap-2 text-sm">
            <Checkbox
              id={`${id}-${operation}`}
              checked={value.includes(operation)}
              onChange={(event) => toggle(operation, event.target.checked)}
            />
            <label htmlFor={`${id}-${operation}`} className="cursor-pointer">
              {nameOf(operation)}
            </label>
          </span>
        ))}
      </div>
      <p id={`${id}-hint`} className={error ? "text-destructive text-xs" : "text-muted-foreground text-xs"}>
        {error ?? t("operationsHint")}
      </p>
    </fieldset>
  );
}
