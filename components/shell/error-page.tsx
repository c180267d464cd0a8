"use client";

import { TriangleAlert } from "lucide-react";
import { useTranslations } from "next-intl";
import { Button } from "@/components/ui/button";
import { MessagePage } from "./message-page";

type ErrorPageProps = { error: Error & { digest?: string }; retry: () => void };

/** The page shown after an error, with the reference to the server's log entry and a retry button. */
export function ErrorPage({ error, retry }: ErrorPageProps) {
  const t = useTranslations("status");
  const common = useTranslations("common");
  const text = (
    <>
      {t("errorText")}
      {error.digest ? (
        <code className="mt-2 block font-mono text-xs">{t("reference", { id: error.digest })}</code>
      ) : null}
    </>
  );
  return (
    <MessagePage icon={<TriangleAlert aria-hidden />} title={t("errorTitle")} text={text}>
      <Button variant="primary" size="md" onClick={retry}>
        {common("retry")}
      </Button>
    </MessagePage>
  );
}
