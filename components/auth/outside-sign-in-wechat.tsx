"use client";

import { useTranslations } from "next-intl";
import { type FormEvent, useId, useState } from "react";
import { RefusedError } from "@/components/form/call-api";
import { Field } from "@/components/form/field";
import { useReportFailure } from "@/components/form/use-report-failure";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";

type WechatDialogProps = {
  title: string;
  /** URL of the official account's QR code; "" = not configured. */
  qrCode: string;
  submit: string;
  onClose: () => void;
  /** Submits the code; a RefusedError is shown at the field. */
  onCode: (code: string) => Promise<void>;
};

/** The user scans the QR code, follows the account, requests a code and enters it here (A029, A030). */
export function WechatDialog({ title, qrCode, submit, onClose, onCode }: WechatDialogProps) {
  const t = useTranslations("outside");
  const common = useTranslations("common");
  const formId = useId();
  const report = useReportFailure();
  const [code, setCode] = useState("");
  const [problem, setProblem] = useState<string>();
  const [pending, setPending] = useState(false);

  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    // React bubbles events through portals: without this, an enclosing form would be submitted too.
    event.stopPropagation();
    if (code.trim() === "") return setProblem(t("wechatCodeMissing"));
    setPending(true);
    setProblem(undefined);
    try {
      await onCode(code.trim());
    } catch (error) {
      if (error instanceof RefusedError) setProblem(error.message);
      else report(error);
    }
    setPending(false);
  };
  const footer = (
    <>
      <Button size="md" onClick={onClose} disabled={pending}>
        {common("cancel")}
      </Button>
      <Button size="md" variant="primary" type="submit" form={formId} pending={pending}>
        {submit}
      </Button>
    </>
  );
  return (
    <Modal open onClose={onClose} title={title} description={t("wechatLead")} footer={footer}>
      <form id={formId} method="post" onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
        {qrCode === "" ? (
          <p className="rounded-md bg-muted px-3 py-6 text-center text-muted-foreground">{t("wechatNoQrCode")}</p>
        ) : (
          // biome-ignore lint/performance/noImgElement: an address of the operator's choice
          <img
            src={qrCode}
            alt={t("wechatQrCode")}
            className="mx-auto size-48 rounded-md border bg-white object-contain"
          />
        )}
        <Field label={t("wechatCode")} error={problem}>
          {(control) => (
            <Input
              {...control}
              name="code"
              value={code}
              autoComplete="one-time-code"
              autoCapitalize="none"
              spellCheck={false}
              autoFocus
              maxLength={64}
              onChange={(event) => setCode(event.target.value)}
            />
          )}
        </Field>
      </form>
    </Modal>
  );
}
