"use client";

import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useReportFailure } from "@/components/form/use-report-failure";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";

export type Payment = {
  method: "zfb" | "wx" | "stripe";
  amount: number;
  /** With two decimals. */
  price: string;
  /** null = the local currency of the price. */
  currency: string | null;
};

type PayDialogProps = {
  payment: Payment | null;
  amountText: (amount: number) => string;
  /** Starts the payment; throws if it was refused. */
  start: (payment: Payment) => Promise<void>;
  onClose: () => void;
};

/** Confirms amount and price before the order is created, then stays open until the user returns from the payment page. */
export function PayDialog({ payment, amountText, start, onClose }: PayDialogProps) {
  const t = useTranslations("topup");
  const common = useTranslations("common");
  const router = useRouter();
  const report = useReportFailure();
  const [pending, setPending] = useState(false);
  const [opened, setOpened] = useState(false);
  const leave = () => {
    setOpened(false);
    onClose();
  };
  const onConfirm = async () => {
    if (!payment) return;
    setPending(true);
    try {
      await start(payment);
      setOpened(true);
    } catch (error) {
      report(error);
      onClose();
    }
    setPending(false);
  };
  const onPaid = () => {
    router.refresh();
    leave();
  };
  const footer = opened ? (
    <Button size="md" variant="primary" autoFocus onClick={onPaid}>
      {t("havePaid")}
    </Button>
  ) : (
    <>
      <Button size="md" onClick={leave} disabled={pending}>
        {common("cancel")}
      </Button>
      <Button size="md" variant="primary" pending={pending} autoFocus onClick={onConfirm}>
        {t("confirm")}
      </Button>
    </>
  );
  return (
    <Modal
      open={payment !== null}
      onClose={leave}
      title={opened ? t("openedTitle") : t("confirmTitle")}
      description={opened ? t("openedText") : undefined}
      footer={footer}
    >
      {payment && !opened ? <PaymentFacts payment={payment} amountText={amountText} /> : null}
    </Modal>
  );
}

function PaymentFacts({ payment, amountText }: { payment: Payment; amountText: (amount: number) => string }) {
  const t = useTranslations("topup");
  const { method, amount, price, currency } = payment;
  const methods = { zfb: t("alipay"), wx: t("wechat"), stripe: t("stripe") };
  const facts = [
    { name: t("amount"), value: amountText(amount) },
    { name: t("payableName"), value: currency ? `${price} ${currency}` : t("yuan", { amount: price }) },
    { name: t("method"), value: methods[method] },
  ];
  return (
    <dl className="flex flex-col gap-1.5">
      {facts.map(({ name, value }) => (
        <div key={name} className="flex justify-between gap-4">
          <dt className="text-muted-foreground">{name}</dt>
          <dd dir="auto" className="font-medium tabular-nums">
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}
