"use client";

import { ExternalLink, PartyPopper, Ticket } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { type FormEvent, useState } from "react";
import { callApi, HttpError, RefusedError } from "@/components/form/call-api";
import { Field } from "@/components/form/field";
import { useReportFailure } from "@/components/form/use-report-failure";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { toast } from "@/components/ui/toast";

const INFO_MS = 3_000;
const ERROR_MS = 5_000;

/** Redeems a code; `link` is a page where codes are sold. */
export function RedeemForm({ link }: { link: string }) {
  const t = useTranslations("topup");
  const router = useRouter();
  const report = useReportFailure();
  const [code, setCode] = useState("");
  const [pending, setPending] = useState(false);
  const [credited, setCredited] = useState<number | null>(null);

  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    const key = code.trim();
    if (key === "") {
      toast.info(t("codeMissing"), { duration: INFO_MS });
      return;
    }
    setPending(true);
    try {
      const { data } = await callApi<number>("/api/user/topup", { method: "POST", body: { key } });
      setCredited(data);
      setCode("");
      router.refresh();
    } catch (error) {
      if (error instanceof RefusedError || error instanceof HttpError) report(error);
      else toast.error(t("requestFailed"), { duration: ERROR_MS });
    } finally {
      setPending(false);
    }
  };
  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-3">
      <Field label={t("code")}>
        {(control) => (
          <Input
            {...control}
            data-secret
            value={code}
            autoComplete="off"
            spellCheck={false}
            placeholder={t("codePlaceholder")}
            onChange={(event) => setCode(event.target.value)}
            className="font-mono"
          />
        )}
      </Field>
      <RedeemButtons pending={pending} link={link} />
      <RedeemedDialog quota={credited} onClose={() => setCredited(null)} />
    </form>
  );
}

function RedeemButtons({ pending, link }: { pending: boolean; link: string }) {
  const t = useTranslations("topup");
  const onLink = () => {
    if (link === "") return toast.error(t("linkMissing"), { duration: ERROR_MS });
    return window.open(link, "_blank", "noopener");
  };
  return (
    <div className="flex flex-wrap gap-2">
      <Button type="submit" size="md" variant="primary" pending={pending}>
        {pending ? null : <Ticket aria-hidden />}
        {pending ? t("redeeming") : t("redeem")}
      </Button>
      <Button size="md" onClick={onLink}>
        <ExternalLink aria-hidden />
        {t("getCode")}
      </Button>
    </div>
  );
}

function RedeemedDialog({ quota, onClose }: { quota: number | null; onClose: () => void }) {
  const t = useTranslations("topup");
  const common = useTranslations("common");
  const display = useQuotaDisplay();
  const footer = (
    <Button size="md" variant="primary" autoFocus onClick={onClose}>
      {common("close")}
    </Button>
  );
  const title = (
    <span className="flex items-center gap-2">
      <PartyPopper className="size-5 text-success" aria-hidden />
      {t("redeemedTitle")}
    </span>
  );
  return (
    <Modal
      open={quota !== null}
      onClose={onClose}
      title={title}
      description={t("redeemedText", { amount: formatQuota(quota ?? 0, display) })}
      footer={footer}
    />
  );
}
