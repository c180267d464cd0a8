"use client";

import { useTranslations } from "next-intl";
import { useCallback } from "react";
import { toast } from "sonner";
import { HttpError, RefusedError } from "./call-api";

const ERROR_MS = 5000;
const INFO_MS = 3000;

/** Where a lost session leads. The whole page is left, so nothing of the former session stays in memory. */
export function goToSignIn(): void {
  window.location.assign("/login?expired=true");
}

/** Puts a failed call into words (A204–A209): the one place that knows what each HTTP status means to the reader. */
export function useReportFailure(): (error: unknown) => void {
  const t = useTranslations("failure");
  return useCallback(
    (error: unknown) => {
      if (error instanceof RefusedError) toast.error(error.message, { duration: ERROR_MS });
      else if (!(error instanceof HttpError)) toast.error(t("network"), { duration: ERROR_MS });
      else if (error.status === 401) goToSignIn();
      else if (error.status === 405) toast.info(t("demo"), { duration: INFO_MS });
      else if (error.status === 429) toast.error(t("tooMany"), { duration: ERROR_MS });
      else if (error.status === 500) toast.error(t("internal"), { duration: ERROR_MS });
      else toast.error(t("other", { reason: error.message }), { duration: ERROR_MS });
    },
    [t],
  );
}
