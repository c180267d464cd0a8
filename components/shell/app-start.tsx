"use client";

import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { useTranslations } from "next-intl";
import { useEffect } from "react";
import { PAGE_SIZE_KEY, rememberPageSize, toPageSize } from "@/components/data-table/list-params";
import { callApi, RefusedError } from "@/components/form/call-api";
import { carryPageUser } from "@/components/session/carry-page-user";
import { readStored, writeStored } from "@/components/ui/stored";
import { toast } from "@/components/ui/toast";
import { tellTimeZone } from "./cookies";
import { type Status, storeStatus } from "./store-status";

const ERROR_MS = 5000;
const INVITE_CODE_MAX = 64;

/**
 * Runs once per page load: stores the server's status and an invite code from the URL in the browser, and sets the time zone
 * cookie.
 */
export function AppStart() {
  const t = useTranslations("failure");
  const path = usePathname();
  const inviteCode = useSearchParams().get("aff");

  useEffect(() => {
    carryPageUser();
    tellTimeZone();
    const size = toPageSize(readStored(PAGE_SIZE_KEY));
    if (size) rememberPageSize(size);
  }, []);

  useEffect(() => {
    let left = false;
    const onFailure = (error: unknown) => {
      // Requests aborted by leaving the page are not failures.
      if (left || document.visibilityState === "hidden") return;
      toast.error(error instanceof RefusedError ? t("statusRefused") : t("statusFailed"), { duration: ERROR_MS });
    };
    const onLeave = () => {
      left = true;
    };
    window.addEventListener("pagehide", onLeave);
    callApi<Status>("/api/status").then(({ data }) => storeStatus(data), onFailure);
    return () => {
      left = true;
      window.removeEventListener("pagehide", onLeave);
    };
  }, [t]);

  useFreshStatus();

  useEffect(() => {
    const invited = path === "/login" || path === "/register";
    if (invited && inviteCode) writeStored("aff", inviteCode.slice(0, INVITE_CODE_MAX));
  }, [path, inviteCode]);

  return null;
}

const RECHECK_MS = 30_000;

/** Rechecks the status when the page becomes visible again, so that changed settings show at once. */
function useFreshStatus(): void {
  const router = useRouter();
  useEffect(() => {
    let checkedAt = Date.now();
    const onVisible = async () => {
      if (document.visibilityState !== "visible" || Date.now() - checkedAt < RECHECK_MS) return;
      checkedAt = Date.now();
      // Failures are ignored: the present status stays, and the user's next action will report the error.
      const answer = await callApi<Status>("/api/status").catch(() => null);
      if (!answer || JSON.stringify(answer.data) === readStored("status")) return;
      storeStatus(answer.data);
      router.refresh();
    };
    document.addEventListener("visibilitychange", onVisible);
    return () => document.removeEventListener("visibilitychange", onVisible);
  }, [router]);
}
