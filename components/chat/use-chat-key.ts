"use client";

import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useEffect, useState } from "react";
import { callApi } from "@/components/form/call-api";
import { useReportFailure } from "@/components/form/use-report-failure";
import { toast } from "@/components/ui/toast";

/** The number of tokens searched for an enabled one (B240). */
const TOKENS_MAX = 100;
const REDIRECT_MS = 1_500;
const ERROR_MS = 5_000;
const ENABLED = 1;

type WireToken = { id: number; status: number; key: string };

/** The key of the user's first enabled token, with "sk-"; null if there is none. Throws what `callApi` throws. */
export async function fetchFirstKey(): Promise<string | null> {
  const { data: tokens } = await callApi<WireToken[]>(`/api/token/?p=0&size=${TOKENS_MAX}`);
  const token = tokens.find(({ status }) => status === ENABLED);
  if (!token) return null;
  if (token.key !== "") return `sk-${token.key}`;
  // The operator can hide keys in lists; then the key of this token is fetched on its own.
  const { data } = await callApi<{ key: string }>(`/api/token/${token.id}/key`, { method: "POST" });
  return `sk-${data.key}`;
}

/**
 * The key for a chat client, null until it is loaded. Without an enabled token the user sees an error and is redirected to
 * the token page after 1.5 s; who is not signed in any more is redirected to sign in. A visitor has no key: "".
 */
export function useChatKey(isVisitor: boolean): string | null {
  const t = useTranslations("chat");
  const router = useRouter();
  const report = useReportFailure();
  const [key, setKey] = useState<string | null>(isVisitor ? "" : null);
  useEffect(() => {
    if (isVisitor) return;
    let left = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onKey = (found: string | null) => {
      if (left) return;
      if (found !== null) return setKey(found);
      toast.error(t("noToken"), { id: "chat-no-token", duration: ERROR_MS });
      timer = setTimeout(() => router.push("/token"), REDIRECT_MS);
    };
    fetchFirstKey().then(onKey, (error: unknown) => {
      if (!left) report(error);
    });
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [t, router, report, isVisitor]);
  return key;
}
