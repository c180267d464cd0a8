"use client";

import { createContext, type ReactNode, useContext } from "react";

const Captured = createContext<ReadonlySet<string>>(new Set());

/** `requestIds`: those with a capture that the user may read. */
export function CapturedRequests({ requestIds, children }: { requestIds: readonly string[]; children: ReactNode }) {
  return <Captured value={new Set(requestIds)}>{children}</Captured>;
}

export const useIsCaptured = (requestId: string): boolean => useContext(Captured).has(requestId);
