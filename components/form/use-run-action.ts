"use client";

import { useTransition } from "react";
import type { ActionResult } from "@/lib/http/action";
import { HttpError, RefusedError } from "./call-api";
import { useReportFailure } from "./use-report-failure";
import { useStepUp } from "./use-step-up";

type Failure = Extract<ActionResult<unknown>, { ok: false }>;

/**
 * Runs a server action in a transition. Failures show a toast; when the session has ended the user signs in over the page,
 * and the action is run then.
 */
export function useRunAction() {
  const report = useReportFailure();
  const withProof = useStepUp();
  const [pending, startTransition] = useTransition();

  const call = async <Data>(work: () => Promise<ActionResult<Data>>, onFailure?: (failure: Failure) => void) => {
    try {
      const result = await withProof(work);
      if (result.ok) return result;
      if (result.code === "unauthenticated") report(new HttpError(401));
      // No toast when the user has cancelled the step-up dialog, or where the form shows both values of what has changed.
      else if (result.code !== "step_up_required" && !(onFailure && result.clashes))
        report(new RefusedError(result.message));
      onFailure?.(result);
    } catch (error) {
      report(error);
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
