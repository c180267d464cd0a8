"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { Card } from "@/components/form/card";
import { CopyButton } from "@/components/form/copy-button";
import { Field } from "@/components/form/field";
import { formatNumber, formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { TransferDialog } from "./transfer-dialog";

type InviteCardProps = {
  code: string;
  /** The registration page with the user's invite code. */
  link: string;
  pending: number;
  total: number;
  count: number;
};

export function InviteCard({ code, link, pending, total, count }: InviteCardProps) {
  const t = useTranslations("personal");
  const display = useQuotaDisplay();
  const [open, setOpen] = useState(false);
  return (
    <Card title={t("invite")} lead={t("inviteLead")}>
      <dl className="grid grid-cols-3 gap-3">
        <div>
          <dt className="text-muted-foreground text-xs">{t("pending")}</dt>
          <dd dir="auto" className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span data-testid="aff-pending" className="font-semibold text-base text-destructive tabular-nums leading-7">
              {formatQuota(pending, display)}
            </span>
            <Button className="h-7 px-2 text-xs" onClick={() => setOpen(true)}>
              {t("transfer")}
            </Button>
          </dd>
        </div>
        <div>
          <dt className="text-muted-foreground text-xs">{t("earned")}</dt>
          <dd dir="auto" data-testid="aff-total" className="font-semibold text-base tabular-nums leading-7">
            {formatQuota(total, display)}
          </dd>
        </div>
        <div>
          <dt className="text-muted-foreground text-xs">{t("invited")}</dt>
          <dd dir="auto" data-testid="aff-count" className="font-semibold text-base tabular-nums leading-7">
            {formatNumber(count)}
          </dd>
        </div>
      </dl>
      <div className="mt-4">
        <Field label={t("inviteLink")} hint={t("inviteCode", { code })}>
          {(control) => (
            <span className="flex gap-2">
              <Input
                {...control}
                readOnly
                value={link}
                onFocus={(event) => event.currentTarget.select()}
                className="min-w-0 bg-muted font-mono text-xs"
              />
              <CopyButton size="md" text={link}>
                {t("copyLink")}
              </CopyButton>
            </span>
          )}
        </Field>
      </div>
      <TransferDialog open={open} available={pending} onClose={() => setOpen(false)} />
    </Card>
  );
}
