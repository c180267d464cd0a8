"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import type { TurnstileSite } from "@/components/auth/turnstile";
import { Button } from "@/components/ui/button";
import type { ActionResult } from "@/lib/http/action";
import { AccessTokenDialog } from "./access-token-dialog";
import { Card, CardRow } from "./card";
import { DeleteAccountDialog } from "./delete-account-dialog";
import { EmailDialog } from "./email-dialog";
import { PasswordDialog } from "./password-dialog";

export type AccountActions = {
  bindEmail: (input: { email: string; code: string }) => Promise<ActionResult<void>>;
  createAccessToken: (input: undefined) => Promise<ActionResult<string>>;
  updateSelf: (input: { password: string }) => Promise<ActionResult<void>>;
  deleteSelf: (input: { username: string }) => Promise<ActionResult<void>>;
};

type AccountCardProps = {
  own: { username: string; email: string | null };
  turnstileSite: TurnstileSite;
  actions: AccountActions;
};

type Opened = "email" | "token" | "password" | "delete" | null;

/** E-mail address, system access token, password and the end of the account. */
export function AccountCard({ own, turnstileSite, actions }: AccountCardProps) {
  const t = useTranslations("personal");
  const [opened, setOpened] = useState<Opened>(null);
  const onClose = () => setOpened(null);
  return (
    <Card title={t("account")} lead={t("accountLead")}>
      <CardRow title={t("email")} text={own.email ?? t("emailNone")}>
        <Button size="md" onClick={() => setOpened("email")}>
          {own.email ? t("emailChange") : t("emailBind")}
        </Button>
      </CardRow>
      <CardRow title={t("accessToken")} text={t("accessTokenLead")}>
        <Button size="md" onClick={() => setOpened("token")}>
          {t("accessTokenMake")}
        </Button>
      </CardRow>
      <CardRow title={t("password")} text={t("passwordLead")}>
        <Button size="md" onClick={() => setOpened("password")}>
          {t("passwordChange")}
        </Button>
      </CardRow>
      <CardRow title={t("delete")} text={t("deleteLead")}>
        <Button
          size="md"
          className="border-destructive/50 text-destructive hover:bg-destructive/8"
          onClick={() => setOpened("delete")}
        >
          {t("delete")}
        </Button>
      </CardRow>
      {opened === "email" ? (
        <EmailDialog turnstileSite={turnstileSite} bindEmail={actions.bindEmail} onClose={onClose} />
      ) : null}
      {opened === "token" ? (
        <AccessTokenDialog createAccessToken={actions.createAccessToken} onClose={onClose} />
      ) : null}
      {opened === "password" ? <PasswordDialog updateSelf={actions.updateSelf} onClose={onClose} /> : null}
      {opened === "delete" ? (
        <DeleteAccountDialog username={own.username} deleteSelf={actions.deleteSelf} onClose={onClose} />
      ) : null}
    </Card>
  );
}
