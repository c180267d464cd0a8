"use client";

import { useTranslations } from "next-intl";
import { type FormEvent, useId, useState } from "react";
import { MoneyField } from "@/components/form/money-field";
import { useRunAction } from "@/components/form/use-run-action";
import { formatExactQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import { transferEarnings } from "./personal-actions";

type TransferDialogProps = {
  open: boolean;
  available: number;
  onClose: () => void;
};

/** Moves pending invite earnings to the balance. The minimum is one currency unit. */
export function TransferDialog({ open, available, onClose }: TransferDialogProps) {
  const t = useTranslations("personal");
  const common = useTranslations("common");
  const formId = useId();
  const display = useQuotaDisplay();
  const { pending, run } = useRunAction();
  const minimum = Math.ceil(display.quotaPerUnit);
  const [text, setText] = useState(String(minimum));
  const [error, setError] = useState<string>();
  const amount = Number(text) || 0;

  const close = () => {
    setText(String(minimum));
    setError(undefined);
    onClose();
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (amount < minimum) {
      const message = t("transferMinimum", { amount: formatExactQuota(minimum, display) });
      setError(message);
      toast.error(message, { duration: 5000 });
      return;
    }
    setError(undefined);
    const onDone = () => {
      toast.success(t("transferred"), { duration: 1500 });
      close();
    };
    run(
      () => transferEarnings({ quota: amount }),
      onDone,
      (failure) => setError(failure.message),
    );
  };
  const footer = (
    <>
      <Button size="md" onClick={close} disabled={pending}>
        {common("cancel")}
      </Button>
      <Button size="md" variant="primary" type="submit" form={formId} pending={pending}>
        {t("transfer")}
      </Button>
    </>
  );
  return (
    <Modal open={open} onClose={close} title={t("transferTitle")} description={t("transferLead")} footer={footer}>
      <form id={formId} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
        <p className="flex justify-between gap-4">
          <span className="text-muted-foreground">{t("available")}</span>
          <span className="font-medium tabular-nums" data-testid="available">
            {formatExactQuota(available, display)}
          </span>
        </p>
        <MoneyField label={t("transferAmount")} error={error} quota={text} autoFocus onQuota={setText} />
      </form>
    </Modal>
  );
}
