"use client";

import { CircleCheck } from "lucide-react";
import { useTranslations } from "next-intl";
import { CopyButton } from "@/components/form/copy-button";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";

/** The whole key, shown once after the token was made. */
export function NewKeyDialog({ tokenKey, onClose }: { tokenKey: string | null; onClose: () => void }) {
  const t = useTranslations("token");
  const title = (
    <span className="flex items-center gap-2">
      <CircleCheck className="size-5 text-success" aria-hidden />
      {t("createdTitle")}
    </span>
  );
  const footer = (
    <>
      <CopyButton size="md" variant="primary" text={tokenKey ?? ""} autoFocus>
        {t("copyKey")}
      </CopyButton>
      <Button size="md" onClick={onClose}>
        {t("createdDone")}
      </Button>
    </>
  );
  return (
    <Dialog
      open={tokenKey !== null}
      onClose={onClose}
      title={title}
      description={t("createdText")}
      footer={footer}
      className="max-w-lg"
    >
      <code
        data-testid="new-key"
        className="block select-all break-all rounded-md bg-muted px-3 py-2.5 font-mono text-sm"
      >
        {tokenKey}
      </code>
    </Dialog>
  );
}
