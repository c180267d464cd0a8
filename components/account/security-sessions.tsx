"use client";

import { Monitor, Smartphone } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Card } from "@/components/form/card";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { useRunAction } from "@/components/form/use-run-action";
import { Time } from "@/components/format/time";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import type { OwnSession } from "@/lib/auth/session-queries";
import { revokeOtherSessions, revokeSession } from "./security-actions";

const PHONES: readonly string[] = ["iPhone", "iPad", "Android", "HarmonyOS"];
const METHODS = ["password", "passkey", "github", "linuxdo", "oidc", "wechat", "telegram"] as const;

export function SecuritySessions({ sessions }: { sessions: OwnSession[] }) {
  const t = useTranslations("security");
  const { pending, run } = useRunAction();
  const [ending, setEnding] = useState<string | null>(null);
  const [asking, setAsking] = useState(false);
  const others = sessions.filter(({ current }) => !current).length;
  const onEnd = (id: string) => {
    setEnding(id);
    run(
      () => revokeSession({ id }),
      () => toast.success(t("sessionEnded"), { duration: 1500 }),
    );
  };
  const onEndOthers = () =>
    run(
      () => revokeOtherSessions({}),
      ({ count }) => {
        setAsking(false);
        toast.success(t("sessionsEnded", { count }), { duration: 1500 });
      },
    );
  const endOthers =
    others > 0 ? (
      <Button onClick={() => setAsking(true)} disabled={pending}>
        {t("sessionEndOthers")}
      </Button>
    ) : null;
  return (
    <Card title={t("sessionTitle")} lead={t("sessionLead")} action={endOthers}>
      <ul className="divide-y">
        {sessions.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            pending={pending && ending === session.id}
            onEnd={() => onEnd(session.id)}
          />
        ))}
      </ul>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={onEndOthers}
        pending={pending}
        title={t("sessionEndOthersTitle")}
        text={t("sessionEndOthersText", { count: others })}
        confirm={t("sessionEndOthers")}
      />
    </Card>
  );
}

function SessionRow({ session, pending, onEnd }: { session: OwnSession; pending: boolean; onEnd: () => void }) {
  const t = useTranslations("security");
  const { device, method } = session;
  const name = [device.browser, device.system].filter((part) => part !== "").join(" · ") || t("session.deviceUnknown");
  const known = METHODS.find((one) => one === method);
  const Icon = PHONES.includes(device.system) ? Smartphone : Monitor;
  return (
    <li data-testid="session" className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3 first:pt-0 last:pb-0">
      <Icon className="size-4 shrink-0 text-muted-foreground" aria-hidden />
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {name}
          {session.current ? <Badge hue="green">{t("sessionCurrent")}</Badge> : null}
        </p>
        <p dir="auto" className="break-words text-muted-foreground text-xs">
          {session.clientIp || t("session.addressUnknown")}
          <Dot />
          {known ? t(`session.method.${known}`) : method}
          <Dot />
          <span className="inline-block">
            {t.rich("session.seen", { time: () => <Time seconds={session.lastSeenAt} /> })}
          </span>
          <Dot />
          <span className="inline-block">
            {t.rich("sessionSince", { time: () => <Time seconds={session.createdAt} /> })}
          </span>
        </p>
      </div>
      {session.current ? null : (
        <Button onClick={onEnd} pending={pending} aria-label={t("sessionEndOf", { name })}>
          {t("sessionEnd")}
        </Button>
      )}
    </li>
  );
}

function Dot() {
  return (
    <span className="mx-1.5" aria-hidden>
      ·
    </span>
  );
}
