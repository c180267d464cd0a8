"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { Card, CardRow } from "@/components/form/card";
import { Button } from "@/components/ui/button";
import { AccessTokenDialog } from "./access-token-dialog";
import { DeleteAccountDialog } from "./delete-account-dialog";
import { PasswordDialog } from "./password-dialog";

type Opened = "token" | "password" | "delete" | null;

export function AccountCard({ username }: { username: string }) {
  const t = useTranslations("personal");
  const [opened, setOpened] = useState<Opened>(null);
  const onClose = () => setOpened(null);
  return (
    <Card title={t("account")} lead={t("accountLead")}>
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
      {opened === "token" ? <AccessTokenDialog onClose={onClose} /> : null}
      {opened === "password" ? <PasswordDialog onClose={onClose} /> : null}
      {opened === "delete" ? <DeleteAccountDialog username={username} onClose={onClose} /> : null}
    </Card>
  );
}
