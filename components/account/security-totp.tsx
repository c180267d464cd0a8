"use client";

import { ShieldCheck } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Card, CardRow } from "@/components/form/card";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { useRunAction } from "@/components/form/use-run-action";
import { Time } from "@/components/format/time";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import type { OwnFactors } from "@/lib/auth/factor-queries";
import { disableTotp, renewRecoveryCodes } from "./security-actions";
import { RecoveryCodesDialog } from "./security-recovery-codes";
import { TotpSetupButton } from "./security-totp-setup";

type Asking = "disable" | "renew";
type Totp = NonNullable<OwnFactors["totp"]>;

export function SecurityTotp({ totp }: { totp: OwnFactors["totp"] }) {
  const t = useTranslations("security");
  const router = useRouter();
  const [codes, setCodes] = useState<string[] | null>(null);
  const onCodesClosed = () => {
    setCodes(null);
    router.refresh();
  };
  return (
    <Card title={t("totpTitle")} lead={t("totpLead")}>
      {totp ? (
        <TotpRows totp={totp} onCodes={setCodes} />
      ) : (
        <CardRow title={t("totpName")} text={t("totpOffText")}>
          <TotpSetupButton onEnabled={setCodes} />
        </CardRow>
      )}
      {codes ? <RecoveryCodesDialog codes={codes} onClose={onCodesClosed} /> : null}
    </Card>
  );
}

type TotpRowsProps = { totp: Totp; onCodes: (codes: string[]) => void };

function TotpRows({ totp, onCodes }: TotpRowsProps) {
  const t = useTranslations("security");
  const { pending, run } = useRunAction();
  const [asking, setAsking] = useState<Asking | null>(null);
  const stopAsking = () => setAsking(null);
  const onRenewed = (codes: string[]) => {
    stopAsking();
    onCodes(codes);
  };
  const onDisabled = () => {
    stopAsking();
    toast.success(t("totpDisabled"), { duration: 1500 });
  };
  const name = (
    <span className="flex flex-wrap items-center gap-2">
      {t("totpName")}
      <Badge hue="green">
        <ShieldCheck aria-hidden />
        {t("on")}
      </Badge>
    </span>
  );
  return (
    <>
      <CardRow title={name} text={t.rich("since", { time: () => <Time seconds={totp.enabledAt} /> })}>
        <Button onClick={() => setAsking("disable")}>{t("totpDisable")}</Button>
      </CardRow>
      <CardRow title={t("recoveryTitle")} text={t("recoveryLeft", { count: totp.recoveryLeft })}>
        <Button onClick={() => setAsking("renew")}>{t("recoveryRenew")}</Button>
      </CardRow>
      <ConfirmDialog
        open={asking === "disable"}
        onClose={stopAsking}
        onConfirm={() => run(() => disableTotp({}), onDisabled)}
        pending={pending}
        title={t("totpDisableTitle")}
        text={t("totpDisableText")}
        confirm={t("totpDisable")}
      />
      <ConfirmDialog
        open={asking === "renew"}
        onClose={stopAsking}
        onConfirm={() => run(() => renewRecoveryCodes({}), onRenewed)}
        pending={pending}
        title={t("recoveryRenewTitle")}
        text={t("recoveryRenewText")}
        confirm={t("recoveryRenew")}
      />
    </>
  );
}
