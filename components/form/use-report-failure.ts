"use client";

import { useTranslations } from "next-intl";
import { useCallback } from "react";
import { toast } from "@/components/ui/toast";
import { HttpError, RefusedError } from "./call-api";
import { goToSignIn } from "./session-keeper";

const ERROR_MS = 5000;
const INFO_MS = 3000;

/** Shows a failed call as a toast (A204–A209). The only place that maps HTTP statuses to messages. */
export function useReportFailure(): (error: unknown) => void {
  const t = useTranslations("failure");
  return useCallback(
    (error: unknown) => {
      if (error instanceof RefusedError) toast.error(error.message, { duration: ERROR_MS });
      else if (!(error instanceof HttpError)) toast.error(t("network"), { duration: ERROR_MS });
      else if (error.status === 401) {
        toast.error(t("signedOut"), { duration: ERROR_MS });
        goToSignIn();
      } else if (error.status === 405) toast.info(t("demo"), { duration: INFO_MS });
      else if (error.status === 429) toast.error(t("tooMany"), { duration: ERROR_MS });
      else if (error.status === 500) toast.error(t("internal"), { duration: ERROR_MS });
      else toast.error(t("other", { reason: error.message }), { duration: ERROR_MS });
    },
    [t],
  );
}
