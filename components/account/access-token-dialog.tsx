"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { CopyButton, useCopy } from "@/components/form/copy-button";
import { useRunAction } from "@/components/form/use-run-action";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { createAccessToken } from "./personal-actions";

/** Creates a system access token. Creating one revokes the present token; the new one is shown only once. */
export function AccessTokenDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations("personal");
  const common = useTranslations("common");
  const copy = useCopy();
  const { pending, run } = useRunAction();
  const [token, setToken] = useState<string | null>(null);
  const onMake = () =>
    run(
      () => createAccessToken(undefined),
      (made) => {
        setToken(made);
        void copy(made, t("accessTokenDone"));
      },
    );
  const footer =
    token === null ? (
      <>
        <Button size="md" onClick={onClose} disabled={pending}>
          {common("cancel")}
        </Button>
        <Button size="md" variant="primary" onClick={onMake} pending={pending}>
          {t("accessTokenDo")}
        </Button>
      </>
    ) : (
      <>
        <CopyButton size="md" variant="primary" text={token}>
          {common("copy")}
        </CopyButton>
        <Button size="md" onClick={onClose}>
          {t("accessTokenClose")}
        </Button>
      </>
    );
  return (
    <Modal
      open
      onClose={onClose}
      title={t("accessTokenTitle")}
      description={token === null ? t("accessTokenWarn") : t("accessTokenOnce")}
      footer={footer}
    >
      {token === null ? null : (
        <code
          dir="auto"
          data-testid="access-token"
          className="block select-all break-all rounded-md bg-muted px-3 py-2.5 font-mono text-sm"
        >
          {token}
        </code>
      )}
    </Modal>
  );
}
