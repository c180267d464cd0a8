"use client";

import { useTranslations } from "next-intl";
import { Field } from "@/components/form/field";
import { Input } from "@/components/ui/input";
import type { User } from "@/lib/user/types";

/** The external accounts of a user, read-only: only the user can bind and unbind them. */
export function BoundAccounts({ user }: { user: User }) {
  const t = useTranslations("user");
  const accounts = [
    { id: "github", label: t("boundGithub"), value: user.githubId },
    { id: "oidc", label: t("boundOidc"), value: user.oidcId },
    { id: "wechat", label: t("boundWechat"), value: user.wechatId },
    { id: "email", label: t("boundEmail"), value: user.email },
    { id: "telegram", label: t("boundTelegram"), value: user.telegramId },
    { id: "linuxdo", label: t("boundLinuxdo"), value: user.linuxDoId },
  ];
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {accounts.map((account) => (
        <Field key={account.id} label={account.label}>
          {(control) => (
            <Input
              {...control}
              readOnly
              value={account.value ?? ""}
              placeholder={t("notBound")}
              className="bg-muted text-muted-foreground"
            />
          )}
        </Field>
      ))}
      <p className="text-muted-foreground text-xs sm:col-span-2">{t("boundHint")}</p>
    </div>
  );
}
