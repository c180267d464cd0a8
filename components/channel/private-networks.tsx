"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { FormSection } from "@/components/form/form-section";
import { SwitchField } from "@/components/form/switch-field";
import { useRunAction } from "@/components/form/use-run-action";
import { toast } from "@/components/ui/toast";
import type { Channel } from "@/lib/channel/types";
import { allowPrivate } from "./actions";

type PrivateNetworksProps = { channel: Channel; isRoot: boolean };

/** Whether the channel may connect to private networks. A change applies at once; allowing it asks first. Others only see it. */
export function PrivateNetworks({ channel, isRoot }: PrivateNetworksProps) {
  const t = useTranslations("channel.private");
  const common = useTranslations("common");
  const { pending, run } = useRunAction();
  const [asking, setAsking] = useState(false);
  const { id, privateAllowed } = channel;
  if (!isRoot) {
    return (
      <FormSection title={t("title")}>
        <p className="text-sm">{privateAllowed ? t("isAllowed") : t("isForbidden")}</p>
        <p className="text-muted-foreground text-xs">{t("rootOnly")}</p>
      </FormSection>
    );
  }
  const set = (allowed: boolean) =>
    run(
      () => allowPrivate({ id, allowed }),
      () => {
        setAsking(false);
        toast.success(common("saved"), { duration: 1500 });
      },
      () => setAsking(false),
    );
  return (
    <FormSection title={t("title")}>
      <SwitchField
        label={t("label")}
        hint={t("hint")}
        checked={privateAllowed}
        onChecked={(allowed) => (allowed ? setAsking(true) : set(false))}
      />
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={() => set(true)}
        pending={pending}
        title={t("askTitle")}
        text={t("askText")}
        confirm={t("allow")}
      />
    </FormSection>
  );
}
