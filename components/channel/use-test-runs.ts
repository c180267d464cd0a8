"use client";

import { useRef, useState } from "react";
import { useRunAction } from "@/components/form/use-run-action";
import type { ChannelTestResult } from "@/lib/channel/types";
import type { testChannel } from "./actions";

export type TestRun = { serial: number; model: string; result: ChannelTestResult };

/** Runs one test after the other until all are done or the user stops; newest result first. */
export function useTestRuns<Subject extends string | number>(
  test: (subject: Subject) => ReturnType<typeof testChannel>,
) {
  const { call } = useRunAction();
  const [runs, setRuns] = useState<TestRun[]>([]);
  const [running, setRunning] = useState<Subject | null>(null);
  const isStopped = useRef(false);
  const start = async (subjects: readonly Subject[]) => {
    isStopped.current = false;
    for (const subject of subjects) {
      if (isStopped.current) break;
      setRunning(subject);
      const done = await call(() => test(subject));
      // The call itself failed, and a toast said so. The next one would fail the same way.
      if (!done) break;
      const result = done.data;
      setRuns((before) => [{ serial: before.length, model: result.model || String(subject), result }, ...before]);
    }
    setRunning(null);
  };
  const stop = () => {
    isStopped.current = true;
  };
  return { runs, running, start, stop };
}
