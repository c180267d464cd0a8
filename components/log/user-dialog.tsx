"use client";

import { useTranslations } from "next-intl";
import { useEffect, useState } from "react";
import { useRunAction } from "@/components/form/use-run-action";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Modal } from "@/components/overlay/modal";
import { Avatar } from "@/components/shell/avatar";
import { hueOf } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Link } from "@/components/ui/link";
import { Skeleton } from "@/components/ui/skeleton";
import { findLogUser } from "./actions";

export type LogUser = { id: number; username: string; quota: number; usedQuota: number; requestCount: number };

type UserDialogProps = {
  user: { id: number; username: string };
  onClose: () => void;
};

/** Balance, consumption and request count of a row's user (administrators only). */
export function UserDialog({ user, onClose }: UserDialogProps) {
  const t = useTranslations("log");
  const display = useQuotaDisplay();
  const { run } = useRunAction();
  const [found, setFound] = useState<LogUser | null>(null);
  // Runs once when the dialog opens; a failure shows a toast and closes it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the functions are new on every render
  useEffect(() => run(() => findLogUser({ id: user.id }), setFound, onClose), [user.id]);
  const facts = [
    { id: "quota", label: t("userQuota"), value: found ? formatQuota(found.quota, display) : null },
    { id: "usedQuota", label: t("userUsedQuota"), value: found ? formatQuota(found.usedQuota, display) : null },
    { id: "requestCount", label: t("userRequestCount"), value: found ? String(found.requestCount) : null },
  ];
  const title = (
    <span className="flex items-center gap-2">
      <Avatar name={user.username} hue={hueOf(user.username)} />
      {t("userInfo")}
    </span>
  );
  return (
    <Modal open onClose={onClose} title={title}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
        <dt className="text-muted-foreground">{t("username")}</dt>
        <dd dir="auto" className="break-all text-right font-medium">
          {user.username}
        </dd>
        {facts.map((fact) => (
          <div key={fact.id} className="contents">
            <dt className="text-muted-foreground">{fact.label}</dt>
            <dd dir="auto" className="text-right font-medium tabular-nums" data-testid={`user-${fact.id}`}>
              {fact.value ?? <Skeleton className="ml-auto w-20" />}
            </dd>
          </div>
        ))}
      </dl>
      <p className="mt-4 flex flex-wrap justify-end gap-2">
        <Button asChild size="md">
          <Link href={`/log?${new URLSearchParams({ username: user.username })}`} onClick={onClose}>
            {t("userRows")}
          </Link>
        </Button>
        <Button asChild size="md" variant="primary">
          <Link href={`/user/${user.id}`}>{t("userPage")}</Link>
        </Button>
      </p>
    </Modal>
  );
}
