"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { CallFailure, SignedOut } from "./call-operation";
import { type Charge, findCharge } from "./find-charge";

/** "unknown": the books did not say in time. */
export type ShownCharge = Charge | "waiting" | "unknown";

/** A call and what came of it. */
export type Run<Result> = {
  state: "running" | "done" | "stopped" | "error";
  /** While it runs: what there is so far. */
  result: Result | null;
  failure: CallFailure | null;
  totalMs: number | null;
  /** Null = no call reached the relay. */
  charge: ShownCharge | null;
};

type Report<Result> = (change: { result?: Result; requestId?: string | null }) => void;
/** Makes the call, reports what it has as it comes, and returns the result. */
export type Work<Result> = (signal: AbortSignal, report: Report<Result>) => Promise<Result>;

type Settings = { userId: number; networkFailure: string; signedOut: string };

/** One call at a time, which can be stopped; its charge is looked up when it has ended. */
export function useRun<Result>({ userId, networkFailure, signedOut }: Settings) {
  const [run, setRun] = useState<Run<Result> | null>(null);
  const current = useRef<AbortController | null>(null);
  /** Ends the look-up of the charge too. */
  const looking = useRef<AbortController | null>(null);
  const drop = useCallback(() => {
    current.current?.abort();
    looking.current?.abort();
  }, []);
  useEffect(() => drop, [drop]);

  const start = async (work: Work<Result>, onDone: (result: Result) => void) => {
    drop();
    const controller = new AbortController();
    const looker = new AbortController();
    current.current = controller;
    looking.current = looker;
    const patch = (change: Partial<Run<Result>>) => {
      if (!looker.signal.aborted) setRun((before) => (before ? { ...before, ...change } : before));
    };
    setRun({ state: "running", result: null, failure: null, totalMs: null, charge: null });
    const startedAt = performance.now();
    let requestId: string | null = null;
    const report: Report<Result> = (change) => {
      requestId = change.requestId ?? requestId;
      if (change.result !== undefined) patch({ result: change.result });
    };
    try {
      const result = await work(controller.signal, report);
      patch({ state: "done", result });
      if (!looker.signal.aborted) onDone(result);
    } catch (error) {
      if (error instanceof CallFailure) requestId = error.requestId ?? requestId;
      if (controller.signal.aborted) patch({ state: "stopped" });
      else
        patch({ state: "error", failure: toFailure(error, error instanceof SignedOut ? signedOut : networkFailure) });
    }
    patch({ totalMs: Math.round(performance.now() - startedAt), charge: requestId === null ? null : "waiting" });
    if (requestId === null) return;
    const charge = await findCharge(requestId, userId, looker.signal);
    patch({ charge: charge ?? "unknown" });
  };
  return {
    run,
    start,
    stop: useCallback(() => current.current?.abort(), []),
    /** Shows a result of the history, or nothing. */
    show: (result: Result | null) => {
      drop();
      setRun(result === null ? null : { state: "done", result, failure: null, totalMs: null, charge: null });
    },
  };
}

function toFailure(error: unknown, otherwise: string): CallFailure {
  return error instanceof CallFailure ? error : new CallFailure(otherwise, { status: 0, code: "network" });
}
