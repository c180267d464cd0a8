"use client";

import { CircleCheck, CircleX, Zap } from "lucide-react";
import { useTranslations } from "next-intl";
import { parseAsInteger, useQueryState } from "nuqs";
import { useState } from "react";
import { Field } from "@/components/form/field";
import { splitList } from "@/components/form/split-list";
import { useRunAction } from "@/components/form/use-run-action";
import { Button } from "@/components/ui/button";
import { CodeBlock } from "@/components/ui/code-block";
import { Sheet } from "@/components/ui/dialog";
import { Select } from "@/components/ui/select";
import type { Channel, ChannelTestResult } from "@/lib/channel/types";
import type { ActionResult } from "@/lib/http/action";

type ChannelTestPanelProps = {
  channel: Channel;
  testChannel: (input: { id: number; model: string }) => Promise<ActionResult<ChannelTestResult>>;
};

type Run = { serial: number; model: string; result: ChannelTestResult };

/** Tests a channel, model by model; the results stay one under the other while the panel is open. */
export function ChannelTestPanel({ channel, testChannel }: ChannelTestPanelProps) {
  const t = useTranslations("channel");
  const [, setTest] = useQueryState("test", parseAsInteger.withOptions({ shallow: false }));
  const { pending, run } = useRunAction();
  const [open, setOpen] = useState(true);
  const [model, setModel] = useState("");
  const [runs, setRuns] = useState<Run[]>([]);
  const onClose = () => {
    setOpen(false);
    setTest(null);
  };
  const onRun = () =>
    run(
      () => testChannel({ id: channel.id, model }),
      (result) => setRuns((before) => [{ serial: before.length, model: result.model || model, result }, ...before]),
    );
  return (
    <Sheet open={open} onClose={onClose} title={t("testTitle", { name: channel.name })} description={t("testHint")}>
      <div className="flex items-end gap-2">
        <div className="min-w-0 flex-1">
          <Field label={t("testModel")}>
            {(control) => (
              <Select {...control} value={model} onChange={(event) => setModel(event.target.value)}>
                <option value="">
                  {channel.testModel ? `${t("testDefault")} (${channel.testModel})` : t("testDefault")}
                </option>
                {splitList(channel.models).map((name) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        </div>
        <Button variant="primary" size="md" pending={pending} onClick={onRun}>
          {pending ? null : <Zap aria-hidden />}
          {pending ? t("testing") : runs.length > 0 ? t("testAgain") : t("testRun")}
        </Button>
      </div>
      <ol aria-live="polite" className="mt-5 flex flex-col gap-3">
        {runs.map((entry) => (
          <TestRun key={entry.serial} {...entry} />
        ))}
      </ol>
    </Sheet>
  );
}

function TestRun({ model, result }: Pick<Run, "model" | "result">) {
  const t = useTranslations("channel");
  const common = useTranslations("common");
  const seconds = (milliseconds: number | undefined) =>
    milliseconds === undefined ? "—" : common("seconds", { value: (milliseconds / 1000).toFixed(2) });
  const figures = [
    { label: t("httpStatus"), value: result.status === undefined ? "—" : String(result.status) },
    { label: t("latency"), value: seconds(result.timeMs) },
    { label: t("firstToken"), value: seconds(result.firstTokenMs) },
  ];
  return (
    <li className="overflow-hidden rounded-lg border" data-testid="test-result">
      <div className="flex items-center gap-2 border-b bg-muted/50 px-3.5 py-2">
        {result.success ? (
          <CircleCheck className="size-4 text-success" aria-hidden />
        ) : (
          <CircleX className="size-4 text-destructive" aria-hidden />
        )}
        <span className="font-medium">{result.success ? t("testOk") : t("testFailed")}</span>
        <code className="ml-auto truncate font-mono text-muted-foreground text-xs">{model}</code>
      </div>
      <dl className="grid grid-cols-3 gap-px px-3.5 py-2.5">
        {figures.map((figure) => (
          <div key={figure.label}>
            <dt className="text-muted-foreground text-xs">{figure.label}</dt>
            <dd className="font-medium tabular-nums">{figure.value}</dd>
          </div>
        ))}
      </dl>
      {result.success ? null : (
        <div className="flex flex-col gap-2 border-t px-3.5 py-2.5">
          <p>{result.message}</p>
          {result.body ? (
            <figure>
              <figcaption className="mb-1 text-muted-foreground text-xs">{t("errorBody")}</figcaption>
              <CodeBlock className="max-h-60 whitespace-pre-wrap break-all">{result.body}</CodeBlock>
            </figure>
          ) : null}
        </div>
      )}
    </li>
  );
}
