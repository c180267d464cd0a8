"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { Field } from "@/components/form/field";
import { type MomentText, NO_MOMENT, readMoment, toMomentText } from "@/components/form/moment";
import { MomentFields } from "@/components/form/moment-input";
import { useRunAction } from "@/components/form/use-run-action";
import { formatTime, useInBrowser } from "@/components/format/time";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import type { ArchiveStatus } from "@/lib/usage-log/archive-status-queries";
import { clearLogs, countLogs } from "./actions";
import { useSetting } from "./setting-context";

/** Where cleared entries are archived, and how that goes. */
function ArchiveNote({ status }: { status: ArchiveStatus }) {
  const t = useTranslations("setting.archive");
  // Times are in the browser's time zone.
  if (!useInBrowser()) return null;
  const { place, newest, waitingBefore, failure } = status;
  const minute = (seconds: number) => formatTime(seconds).slice(0, 16);
  return (
    <div className="flex flex-col gap-1 text-muted-foreground text-xs">
      {place !== "" && <p className="text-pretty [overflow-wrap:anywhere]">{t("place", { place })}</p>}
      {newest && (
        <p>{t("newest", { rows: String(newest.rows), until: minute(newest.until), at: minute(newest.createdAt) })}</p>
      )}
      {waitingBefore !== null && <p>{t("waiting", { until: minute(waitingBefore) })}</p>}
      {failure && (
        <p role="alert" className="text-pretty text-destructive [overflow-wrap:anywhere]">
          {t("failing", { since: minute(failure.since), reason: failure.reason })}
        </p>
      )}
    </div>
  );
}

const DONE_MS = 5000;

/** One month ago in the browser's time zone, to the minute. */
function monthAgo(): MomentText {
  const date = new Date();
  date.setMonth(date.getMonth() - 1);
  return toMomentText(Math.floor(date.getTime() / 1000));
}

type Preview = { until: number; count: number; more: boolean };

const countText = ({ count, more }: Preview) => `${count}${more ? "+" : ""}`;

/** Deletes log entries before a chosen time. Shows how many there are and asks first. */
export function ClearLogs() {
  const t = useTranslations("setting");
  const { archive } = useSetting();
  const { pending, run } = useRunAction();
  const inBrowser = useInBrowser();
  const [moment, setMoment] = useState<MomentText | null>(null);
  const [error, setError] = useState<string | undefined>();
  const [preview, setPreview] = useState<Preview | null>(null);
  const value = moment ?? (inBrowser ? monthAgo() : NO_MOMENT);
  const onCount = () => {
    const until = readMoment(value);
    if (typeof until !== "number") {
      setError(t("logTimeMissing"));
      return void toast.error(t("logTimeMissing"), { duration: DONE_MS });
    }
    setError(undefined);
    run(
      () => countLogs({ until }),
      (found) => setPreview({ until, ...found }),
    );
  };
  const onConfirm = () => {
    run(
      () => clearLogs({ until: preview?.until ?? 0 }),
      ({ count, isArchiving }) => {
        setPreview(null);
        const text = isArchiving ? "logsToArchive" : "logsCleared";
        toast.success(t(text, { count: String(count) }), { duration: DONE_MS });
      },
    );
  };
  return (
    <div className="flex flex-col gap-3 border-t px-5 py-4">
      <Field label={t("clearBefore")} hint={t("clearHint")} error={error}>
        {(control) => (
          <div className="flex flex-wrap gap-2 max-sm:flex-col">
            <MomentFields
              control={control}
              label={t("clearBefore")}
              text={value}
              onText={setMoment}
              // Otherwise Enter would save the page.
              onEnter={onCount}
            />
            <Button size="md" pending={pending} onClick={onCount} className="text-destructive">
              {t("clearLogs")}
            </Button>
          </div>
        )}
      </Field>
      {archive && <ArchiveNote status={archive} />}
      <ConfirmDialog
        open={preview !== null}
        onClose={() => setPreview(null)}
        onConfirm={onConfirm}
        pending={pending}
        title={t("clearTitle", { count: preview ? countText(preview) : "" })}
        text={t("clearText", { moment: formatTime(preview?.until ?? 0).slice(0, 16) })}
        confirm={t("clearLogs")}
      />
    </div>
  );
}
