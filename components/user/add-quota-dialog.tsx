"use client";

import { useTranslations } from "next-intl";
import { type FormEvent, useId, useState } from "react";
import { MoneyField } from "@/components/form/money-field";
import { formatExactQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
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
  const line = (value: number) => {
    const amount = formatExactQuota(value, display);
    return value < 0 ? `(${amount})` : amount;
  };
  return (
    <Modal open={open} onClose={close} title={t("addQuota")} description={t("addQuotaLead")} footer={footer}>
      <form id={formId} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
        <MoneyField
          label={t("addQuotaAmount")}
          error={delta === null ? t("numberInvalid") : undefined}
          quota={text}
          isSigned
          autoFocus
          onQuota={setText}
        />
        {sum === null ? null : (
          <p data-testid="quota-sum" aria-live="polite" className="rounded-md bg-muted px-3 py-2 tabular-nums">
            {`${line(quota)} + ${line(delta ?? 0)} = `}
            <strong>{formatExactQuota(sum, display)}</strong>
          </p>
        )}
      </form>
    </Modal>
  );
}
