"use client";

import { createContext, useContext } from "react";
import type { ActionResult } from "@/lib/http/action";

/** Asks the owner to prove who they are; true once they have. */
export type AskForProof = () => Promise<boolean>;

export const StepUpContext = createContext<AskForProof | null>(null);

/**
 * Wraps a server action that may ask for a proof: when it answers "step_up_required", the dialog opens and the action is
 * run again afterwards. When the reader turns away, the answer is that first refusal. `useRunAction` has it built in.
 */
export function useStepUp() {
  const ask = useContext(StepUpContext);
  return async <Data>(work: () => Promise<ActionResult<Data>>): Promise<ActionResult<Data>> => {
    const result = await work();
    if (result.ok || result.code !== "step_up_required" || !ask) return result;
    return (await ask()) ? work() : result;
  };
}
