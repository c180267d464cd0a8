"use client";

import { useTranslations } from "next-intl";
import { type FormEvent, useId, useState } from "react";
import { Field } from "@/components/form/field";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { toWhole } from "./user-draft";

type AddQuotaDialogProps = { open: boolean; quota: number; onClose: () => void; onQuota: (sum: number) => void };

/** Adds an amount to the balance; negative amounts subtract. It only changes the form; saving the form applies it. */
export function AddQuotaDialog({ open, quota, onClose, onQuota }: AddQuotaDialogProps) {
  const t = useTranslations("user");
  const common = useTranslations("common");
  const display = useQuotaDisplay();
  const formId = useId();
  const [text, setText] = useState("");
  const delta = toWhole(text);
  const sum = delta === null ? null : quota + delta;
  const close = () => {
    setText("");
    onClose();
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    // React bubbles events through portals: without this, the enclosing user form would be submitted too.
    event.stopPropagation();
    if (sum === null) return;
    onQuota(sum);
    close();
  };
  const footer = (
    <>
      <Button size="md" onClick={close}>
        {common("cancel")}
      </Button>
      <Button size="md" variant="primary" type="submit" form={formId} disabled={sum === null}>
        {t("addQuotaOk")}
      </Button>
    </>
  );
  const line = (value: number) => (value < 0 ? `(${value})` : String(value));
  return (
    <Modal open={open} onClose={close} title={t("addQuota")} description={t("addQuotaLead")} footer={footer}>
      <form id={formId} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
        <Field
          label={t("addQuotaAmount")}
          hint={display.inCurrency ? common("equivalent", { amount: formatQuota(delta ?? 0, display) }) : undefined}
          error={delta === null ? t("numberInvalid") : undefined}
        >
          {(control) => (
            <Input
              {...control}
              type="number"
              step={1}
              value={text}
              autoFocus
              onChange={(event) => setText(event.target.value)}
              className="tabular-nums"
            />
          )}
        </Field>
        {sum === null ? null : (
          <p data-testid="quota-sum" aria-live="polite" className="rounded-md bg-muted px-3 py-2 tabular-nums">
            {`${line(quota)} + ${line(delta ?? 0)} = `}
            <strong>{sum}</strong>
            {display.inCurrency ? (
              <span className="block text-muted-foreground text-xs">
                {`${formatQuota(quota, display)} + ${formatQuota(delta ?? 0, display)} = ${formatQuota(sum, display)}`}
              </span>
            ) : null}
          </p>
        )}
      </form>
    </Modal>
  );
}
