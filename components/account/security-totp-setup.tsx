"use client";

import Image from "next/image";
import { useTranslations } from "next-intl";
import { type FormEvent, useId, useState } from "react";
import { CopyButton } from "@/components/form/copy-button";
import { Field } from "@/components/form/field";
import { useRunAction } from "@/components/form/use-run-action";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import type { TotpSetup } from "@/lib/auth/totp-commands";
import { enableTotp, startTotpSetup } from "./security-actions";

const QR_PIXELS = 184;

type TotpSetupButtonProps = {
  onEnabled: (recoveryCodes: string[]) => void;
};

/** Fetches a TOTP secret and enables it once the user has entered a valid code. */
export function TotpSetupButton({ onEnabled }: TotpSetupButtonProps) {
  const t = useTranslations("security");
  const { pending, run } = useRunAction();
  const [setup, setSetup] = useState<TotpSetup | null>(null);
  const onDone = (recoveryCodes: string[]) => {
    setSetup(null);
    onEnabled(recoveryCodes);
  };
  return (
    <>
      <Button variant="primary" onClick={() => run(() => startTotpSetup({}), setSetup)} pending={pending}>
        {t("totpSetUp")}
      </Button>
      {setup ? <TotpSetupDialog setup={setup} onEnabled={onDone} onClose={() => setSetup(null)} /> : null}
    </>
  );
}

type TotpSetupDialogProps = {
  setup: TotpSetup;
  onEnabled: (recoveryCodes: string[]) => void;
  onClose: () => void;
};

function TotpSetupDialog({ setup, onEnabled, onClose }: TotpSetupDialogProps) {
  const t = useTranslations("security");
  const common = useTranslations("common");
  const formId = useId();
  const { pending, run } = useRunAction();
  const [problem, setProblem] = useState<string>();
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const code = String(new FormData(event.currentTarget).get("code") ?? "").trim();
    if (code === "") return setProblem(t("stepUp.codeMissing"));
    setProblem(undefined);
    run(
      () => enableTotp({ code }),
      onEnabled,
      (failure) => setProblem(failure.message),
    );
  };
  const footer = (
    <>
      <Button size="md" onClick={onClose} disabled={pending}>
        {common("cancel")}
      </Button>
      <Button size="md" variant="primary" type="submit" form={formId} pending={pending}>
        {t("totpEnable")}
      </Button>
    </>
  );
  return (
    <Modal open onClose={onClose} title={t("totpSetUpTitle")} description={t("totpSetUpText")} footer={footer}>
      <div className="flex flex-col gap-4">
        <Secret setup={setup} />
        <form id={formId} method="post" onSubmit={onSubmit} noValidate>
          <Field label={t("firstCode")} error={problem}>
            {(control) => (
              <Input
                {...control}
                name="code"
                inputMode="numeric"
                autoComplete="one-time-code"
                maxLength={16}
                spellCheck={false}
              />
            )}
          </Field>
        </form>
      </div>
    </Modal>
  );
}

function Secret({ setup }: { setup: TotpSetup }) {
  const t = useTranslations("security");
  return (
    <>
      {/* White in both themes: cameras need dark modules on a light background. */}
      <Image
        src={setup.qrCode}
        alt={t("qrCode")}
        width={QR_PIXELS}
        height={QR_PIXELS}
        unoptimized
        className="mx-auto rounded-md border bg-white"
      />
      <div>
        <p className="text-muted-foreground text-xs">{t("secretText")}</p>
        <div className="mt-1 flex items-center gap-2">
          <code
            dir="auto"
            data-testid="totp-secret"
            className="min-w-0 flex-1 select-all break-all rounded-md bg-muted px-3 py-2 font-mono text-sm"
          >
            {setup.secret}
          </code>
          <CopyButton size="iconMd" aria-label={t("copySecret")} text={setup.secret} />
        </div>
      </div>
    </>
  );
}
