"use client";

import { useTranslations } from "next-intl";
import { useTransition } from "react";
import { toast } from "sonner";
import type { ActionResult } from "@/lib/http/action";

type Failure = Extract<ActionResult<unknown>, { ok: false }>;

/** Runs a server action in a transition. Failures show as a toast; a lost session leads to the sign-in page. */
export function useRunAction() {
  const t = useTranslations("common");
  const [pending, startTransition] = useTransition();

  const call = async <Data>(work: () => Promise<ActionResult<Data>>, onFailure?: (failure: Failure) => void) => {
    const result = await work().catch(() => null);
    if (result?.ok) return result;
    if (!result) toast.error(t("requestFailed"));
    else if (result.code === "unauthenticated") window.location.assign("/login?expired=true");
    else {
      toast.error(result.message, { duration: 5000 });
      onFailure?.(result);
    }
    return null;
  };

  const run = <Data>(
    work: () => Promise<ActionResult<Data>>,
    onSuccess?: (data: Data) => void,
    onFailure?: (failure: Failure) => void,
  ) =>
    startTransition(async () => {
      const result = await call(work, onFailure);
      if (result) startTransition(() => onSuccess?.(result.data));
    });

  return { pending, run, call };
}
