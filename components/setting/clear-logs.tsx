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
import { ArchiveNote } from "./archive-note";
import { useSetting } from "./setting-context";

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
  const { actions, archive } = useSetting();
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
      () => actions.countLogs({ until }),
      (found) => setPreview({ until, ...found }),
    );
  };
  const onConfirm = () => {
    run(
      () => actions.clearLogs({ until: preview?.until ?? 0 }),
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
