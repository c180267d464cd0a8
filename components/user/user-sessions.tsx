"use client";

import { Monitor } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { DetailSection } from "@/components/data-table/detail-section";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { useRunAction } from "@/components/form/use-run-action";
import { Time } from "@/components/format/time";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import type { UserSession } from "@/lib/user/detail-queries";
import { endSessions } from "./actions";

type UserSessionsProps = {
  userId: number;
  username: string;
  sessions: UserSession[];
};

const METHODS = ["password", "passkey", "github", "linuxdo", "oidc", "wechat", "telegram"] as const;

/** The sessions of a user, with a button to end all of them. */
export function UserSessions({ userId, username, sessions }: UserSessionsProps) {
  const t = useTranslations("user");
  const { pending, run } = useRunAction();
  const [isAsked, setAsked] = useState(false);
  const onConfirm = () =>
    run(
      () => endSessions({ id: userId }),
      () => {
        setAsked(false);
        toast.success(t("sessionsEnded"), { duration: 1500 });
      },
    );
  const aside =
    sessions.length === 0 ? null : (
      <Button className="text-destructive" onClick={() => setAsked(true)}>
        {t("endSessions")}
      </Button>
    );
  return (
    <DetailSection title={t("sessions")} aside={aside}>
      {sessions.length === 0 ? <p className="px-4 py-3 text-muted-foreground">{t("sessionsNone")}</p> : null}
      <ul className="divide-y">
        {sessions.map((session) => (
          <SessionLine key={session.id} session={session} />
        ))}
      </ul>
      <ConfirmDialog
        open={isAsked}
        onClose={() => setAsked(false)}
        onConfirm={onConfirm}
        pending={pending}
        title={t("endSessionsTitle", { name: username })}
        text={t("endSessionsText")}
        confirm={t("endSessions")}
      />
    </DetailSection>
  );
}

function SessionLine({ session }: { session: UserSession }) {
  const texts = useTranslations("security.session");
  const { device, method, clientIp, lastSeenAt } = session;
  const name = [device.browser, device.system].filter((part) => part !== "").join(" · ");
  const known = METHODS.find((one) => one === method);
  return (
    <li className="flex items-center gap-3 px-4 py-2">
      <Monitor className="size-4 shrink-0 text-muted-foreground" aria-hidden />
      <span className="min-w-0 flex-1">
        <span className="block">{name || texts("deviceUnknown")}</span>
        <span className="block text-muted-foreground text-xs">
          {[clientIp || texts("addressUnknown"), known ? texts(`method.${known}`) : method].join(" · ")}
          {" · "}
          {texts.rich("seen", { time: () => <Time seconds={lastSeenAt} /> })}
        </span>
      </span>
    </li>
  );
}
