"use client";

import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { startTransition, useCallback } from "react";
import { toast } from "@/components/ui/toast";

const PROBE = "/icon.svg";
const PROBE_MS = 5_000;
const SHOWN_MS = 5_000;
const TOAST_ID = "offline";

/**
 * Whether the server can be reached. When it cannot, the router would leave the page for the browser's error page, with
 * all that is shown and typed on it.
 */
async function isReachable(): Promise<boolean> {
  if (!navigator.onLine) return false;
  const asked = fetch(PROBE, { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(PROBE_MS) });
  return asked.then(
    () => true,
    () => false,
  );
}

/** Says that the browser is offline, once however often it is tried. */
export function useSayOffline(): () => void {
  const t = useTranslations("failure");
  return useCallback(() => void toast.error(t("offline"), { id: TOAST_ID, duration: SHOWN_MS }), [t]);
}

/**
 * Loads the data of the page again. While the server cannot be reached the page stays as it is; `isQuiet` is for
 * refreshes that nobody asked for, which say nothing then.
 */
export function useRefresh(): (options?: { isQuiet?: boolean }) => Promise<void> {
  const router = useRouter();
  const sayOffline = useSayOffline();
  return useCallback(
    async ({ isQuiet = false } = {}) => {
      if (await isReachable()) startTransition(() => router.refresh());
      else if (!isQuiet) sayOffline();
    },
    [router, sayOffline],
  );
}
