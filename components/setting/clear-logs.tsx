"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { toast } from "sonner";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { Field } from "@/components/form/field";
import { useRunAction } from "@/components/form/use-run-action";
import { toLocalField } from "@/components/format/local-field";
import { useInBrowser } from "@/components/format/time";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { useSetting } from "./setting-context";

const DONE_MS = 5000;

/** One month ago in the browser's time zone, to the minute. */
function monthAgo(): string {
  const date = new Date();
  date.setMonth(date.getMonth() - 1);
  return toLocalField(Math.floor(date.getTime() / 1000)).slice(0, 16);
}

type Preview = { until: number; count: number; more: boolean };

const countText = ({ count, more }: Preview) => `${count}${more ? "+" : ""}`;

/** Deletes log entries before a chosen time. Shows how many there are and asks first. */
export function ClearLogs() {
  const t = useTranslations("setting");
  const { actions } = useSetting();
  const { pending, run } = useRunAction();
  const inBrowser = useInBrowser();
  const [moment, setMoment] = useState<string | null>(null);
  const [error, setError] = useState<string | undefined>();
  const [preview, setPreview] = useState<Preview | null>(null);
  const value = moment ?? (inBrowser ? monthAgo() : "");
  const onCount = () => {
    const until = Math.floor(new Date(value).getTime() / 1000);
    if (value === "" || Number.isNaN(until)) {
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
      ({ count }) => {
        setPreview(null);
        toast.success(t("logsCleared", { count: String(count) }), { duration: DONE_MS });
      },
    );
  };
  return (
    <div className="flex flex-col gap-3 border-t px-5 py-4">
      <Field label={t("clearBefore")} hint={t("clearHint")} error={error}>
        {(control) => (
          <div className="flex flex-wrap gap-2">
            <Input
              {...control}
              type="datetime-local"
              value={value}
              onChange={(event) => setMoment(event.target.value)}
              // Enter would save the page.
              onKeyDown={(event) => (event.key === "Enter" ? event.preventDefault() : undefined)}
              className="w-60"
            />
            <Button size="md" pending={pending} onClick={onCount} className="text-destructive">
              {t("clearLogs")}
            </Button>
          </div>
        )}
      </Field>
      <ConfirmDialog
        open={preview !== null}
        onClose={() => setPreview(null)}
        onConfirm={onConfirm}
        pending={pending}
        title={t("clearTitle", { count: preview ? countText(preview) : "" })}
        text={t("clearText", { moment: value.replace("T", " ") })}
        confirm={t("clearLogs")}
      />
    </div>
  );
}
