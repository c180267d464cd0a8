"use client";

import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { TelegramWidget } from "@/components/auth/outside-sign-in-telegram";
import { WechatDialog } from "@/components/auth/outside-sign-in-wechat";
import { callApi } from "@/components/form/call-api";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { Modal } from "@/components/overlay/modal";
import { toast } from "@/components/ui/toast";
import type { OutsideFlags, OutsideProvider } from "@/lib/oauth/types";

/** The dialog that is open. */
export type BindingStep =
  | { type: "bind"; provider: OutsideProvider; state: string }
  | { type: "unbind"; provider: OutsideProvider };

type BindingDialogsProps = {
  step: BindingStep | null;
  flags: OutsideFlags;
  pending: boolean;
  onUnbind: (provider: OutsideProvider) => void;
  onClose: () => void;
  nameOf: (provider: OutsideProvider) => string;
};

export function BindingDialogs({ step, flags, pending, onUnbind, onClose, nameOf }: BindingDialogsProps) {
  const t = useTranslations("outside");
  if (step?.type === "unbind") {
    const provider = nameOf(step.provider);
    return (
      <ConfirmDialog
        open
        onClose={onClose}
        onConfirm={() => onUnbind(step.provider)}
        pending={pending}
        title={t("unbindTitle", { provider })}
        text={t("unbindText", { provider })}
        confirm={t("unbind")}
      />
    );
  }
  if (step?.provider === "wechat" && flags.wechat) {
    return <WechatBinding qrCode={flags.wechat.qrCode} onClose={onClose} />;
  }
  if (step?.provider === "telegram" && flags.telegram) {
    return (
      <Modal open onClose={onClose} title={t("telegramTitle")} description={t("telegramLead")}>
        <TelegramWidget
          botName={flags.telegram.botName}
          authUrl={`/api/oauth/telegram/bind?state=${encodeURIComponent(step.state)}`}
        />
      </Modal>
    );
  }
  return null;
}

function WechatBinding({ qrCode, onClose }: { qrCode: string; onClose: () => void }) {
  const t = useTranslations("outside");
  const router = useRouter();
  const onCode = async (code: string) => {
    await callApi(`/api/oauth/wechat/bind?${new URLSearchParams({ code })}`);
    toast.success(t("bound"), { duration: 3000 });
    onClose();
    router.refresh();
  };
  return (
    <WechatDialog title={t("wechatBindTitle")} qrCode={qrCode} submit={t("bind")} onClose={onClose} onCode={onCode} />
  );
}
