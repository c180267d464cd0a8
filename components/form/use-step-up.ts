"use client";

import { createContext, useContext } from "react";
import type { ActionResult } from "@/lib/http/action";
import { checkSession, signInOverPage } from "./session-keeper";

/** Asks the user for a step-up proof; resolves to true if it succeeds. */
export type AskForProof = () => Promise<boolean>;

export const StepUpContext = createContext<AskForProof | null>(null);

/**
 * Wraps a server action that may need the user to sign in again or to prove who they are: a dialog opens, and the action is
 * run once more. If the user cancels, the first result is returned. `useRunAction` uses it already.
 */
export function useStepUp() {
  const ask = useContext(StepUpContext);
  return async <Data>(work: () => Promise<ActionResult<Data>>): Promise<ActionResult<Data>> => {
    let result = await work();
    if (!result.ok && result.code === "unauthenticated" && (await signInOverPage())) result = await work();
    if (!result.ok && result.code === "other_user") void checkSession();
    if (result.ok || result.code !== "step_up_required" || !ask) return result;
    return (await ask()) ? work() : result;
  };
}
