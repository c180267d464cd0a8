"use client";

import { CircleCheck, FlaskConical, ScrollText, Zap } from "lucide-react";
import type { Route } from "next";
import { useTranslations } from "next-intl";
import { Button } from "@/components/ui/button";
import { Link } from "@/components/ui/link";
import { testChannel } from "./actions";
import { useChannelType } from "./channel-types";
import { ModelProblems } from "./model-problems";
import { TestResult } from "./test-result";
import { useModelCheck } from "./use-model-check";
import { useTestRuns } from "./use-test-runs";

export type Saved = { channels: { id: number; name: string }[]; type: number; models: string[]; testModel: string };

/** What the drawer shows after channels were created: a test of them, and where to go from here. */
export function SavedChannel({ saved }: { saved: Saved }) {
  const t = useTranslations("channelEditor");
  const { channels, type, models } = saved;
  const isTestable = useChannelType(type)?.isTestable ?? true;
  const { runs, running, start } = useTestRuns((id: number) => testChannel({ id, model: "" }));
  const model = saved.testModel || models[0] || "";
  return (
    <div className="flex flex-col gap-4">
      <p className="flex items-center gap-2 font-medium">
        <CircleCheck className="size-4 text-success" aria-hidden />
        {t("created", { count: channels.length })}
      </p>
      <ModelProblems {...useModelCheck(type, models)} />
      {isTestable ? (
        <div>
          <Button
            variant="primary"
            size="md"
            pending={running !== null}
            onClick={() => start(channels.map(({ id }) => id))}
          >
            {running === null ? <Zap aria-hidden /> : null}
            {running === null ? t("testNow") : t("testing")}
          </Button>
          <p className="mt-1.5 text-muted-foreground text-xs">{t("testNowHint", { model })}</p>
        </div>
      ) : (
        <p className="text-muted-foreground">{t("notTestable")}</p>
      )}
      <ol aria-live="polite" className="flex flex-col gap-3">
        {runs.map((run) => (
          <TestResult key={run.serial} model={run.model} result={run.result} />
        ))}
      </ol>
      <div className="flex flex-wrap gap-2">
        <Button asChild size="md">
          <Link href={`/playground?model=${encodeURIComponent(model)}` as Route}>
            <FlaskConical aria-hidden />
            {t("openPlayground")}
          </Link>
        </Button>
        <Button asChild size="md">
          <Link href={`/log?channel=${channels[0]?.id ?? ""}` as Route}>
            <ScrollText aria-hidden />
            {t("openLog")}
          </Link>
        </Button>
      </div>
    </div>
  );
}
