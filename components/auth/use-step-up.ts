"use client";

import { createContext, useContext } from "react";
import type { ActionResult } from "@/lib/http/action";

/** Asks the user for a step-up proof; resolves to true if it succeeds. */
export type AskForProof = () => Promise<boolean>;

export const StepUpContext = createContext<AskForProof | null>(null);

/**
 * Wraps a server action that may require a proof: on "step_up_required" the dialog opens and the action is retried. If the
 * user cancels, that first result is returned. `useRunAction` uses it already.
 */
export function useStepUp() {
  const ask = useContext(StepUpContext);
  return async <Data>(work: () => Promise<ActionResult<Data>>): Promise<ActionResult<Data>> => {
    const result = await work();
    if (result.ok || result.code !== "step_up_required" || !ask) return result;
    return (await ask()) ? work() : result;
  };
}
