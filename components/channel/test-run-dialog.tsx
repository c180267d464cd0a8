"use client";

import { CircleCheck, CircleX } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useEffect, useEffectEvent, useState } from "react";
import { callApi } from "@/components/form/call-api";
import { useReportFailure } from "@/components/form/use-report-failure";
import { Modal } from "@/components/overlay/modal";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import type { TlsReason } from "@/lib/egress/tls-reason";
import { hueOfTime } from "./last-test";

type Result = {
  id: number;
  name: string;
  model: string;
  success: boolean;
  message: string;
  time: number;
  status?: number;
  tls?: TlsReason;
  verdict: "leave" | "enable" | "disable";
};
type Progress = { total: number; started_at: number; finished_at: number | null; results: Result[] };

const POLL_MS = 1_000;
const PATH = "/api/channel/test_run";

/** Progress and results of the test of all channels. The test goes on when the dialog is closed. */
export function TestRunDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations("channel");
  const common = useTranslations("common");
  const router = useRouter();
  const report = useReportFailure();
  const [progress, setProgress] = useState<Progress | null | undefined>(undefined);
  const load = useEffectEvent(async (): Promise<boolean> => {
    const { data } = await callApi<Progress | null>(PATH);
    setProgress(data);
    return data !== null && data.finished_at === null;
  });
  const fail = useEffectEvent(report);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOpen = true;
    const poll = () =>
      load().then(
        (goesOn) => {
          if (isOpen && goesOn) timer = setTimeout(poll, POLL_MS);
        },
        (error: unknown) => fail(error),
      );
    void poll();
    return () => {
      isOpen = false;
      clearTimeout(timer);
    };
  }, []);
  const onStop = () => callApi(PATH, { method: "DELETE" }).catch(report);
  const onDone = () => {
    onClose();
    router.refresh();
  };
  const isRunning = progress != null && progress.finished_at === null;
  const footer = (
    <>
      {isRunning ? (
        <Button size="md" onClick={onStop}>
          {t("testStop")}
        </Button>
      ) : null}
      <Button size="md" variant="primary" onClick={onDone}>
        {common("close")}
      </Button>
    </>
  );
  return (
    <Modal open onClose={onDone} title={t("testRunTitle")} footer={footer} className="max-w-2xl">
      {progress ? (
        <Results progress={progress} />
      ) : (
        <p role="status" className="py-4 text-muted-foreground">
          {progress === null ? t("testRunNone") : t("testing")}
        </p>
      )}
    </Modal>
  );
}

/** What a run has found so far. */
export function Results({ progress }: { progress: Progress }) {
  const t = useTranslations("channel");
  const editor = useTranslations("channelEditor");
  const common = useTranslations("common");
  const { total, results, finished_at: finishedAt } = progress;
  const failed = results.filter(({ success }) => !success).length;
  // Failures first.
  const shown = results.toSorted((a, b) => Number(a.success) - Number(b.success));
  return (
    <div className="flex flex-col gap-3">
      <div>
        <p role="status" className="mb-1 tabular-nums">
          {t(finishedAt === null ? "testProgress" : "testFinished", { done: results.length, total, failed })}
        </p>
        <progress
          aria-label={t("testAll")}
          max={Math.max(total, 1)}
          value={results.length}
          className="h-1.5 w-full accent-primary"
        />
      </div>
      <ul
        aria-label={t("testResults")}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-96 divide-y overflow-y-auto rounded-md border text-xs"
      >
        {shown.map((result) => (
          <li key={result.id} className="flex flex-wrap items-center gap-x-2 gap-y-1 px-2.5 py-1.5">
            {result.success ? (
              <CircleCheck className="size-4 shrink-0 text-success" aria-label={t("testOk")} />
            ) : (
              <CircleX className="size-4 shrink-0 text-destructive" aria-label={t("testFailed")} />
            )}
            <span dir="auto" className="min-w-0 truncate">
              <span className="text-muted-foreground tabular-nums">#{result.id}</span> {result.name}
            </span>
            <code dir="auto" className="truncate text-muted-foreground">
              {result.model}
            </code>
            <span className="ml-auto flex items-center gap-1.5">
              {result.verdict === "disable" ? <Badge hue="amber">{t("wasDisabled")}</Badge> : null}
              {result.verdict === "enable" ? <Badge hue="green">{t("wasEnabled")}</Badge> : null}
              <Badge hue={result.success ? hueOfTime(result.time * 1_000) : "red"} className="tabular-nums">
                {result.status === undefined || result.success
                  ? common("seconds", { value: result.time.toFixed(2) })
                  : String(result.status)}
              </Badge>
            </span>
            {result.success ? null : (
              <p dir="auto" className="w-full break-words pl-6 text-muted-foreground">
                {result.tls ? editor(`whyTls.${result.tls}`) : result.message}
              </p>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
