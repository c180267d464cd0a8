"use client";

import { Square, Zap } from "lucide-react";
import { useTranslations } from "next-intl";
import { parseAsInteger, useQueryState } from "nuqs";
import { useRef, useState } from "react";
import { Field } from "@/components/form/field";
import { splitList } from "@/components/form/split-list";
import { useRunAction } from "@/components/form/use-run-action";
import { Drawer } from "@/components/overlay/drawer";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { NativeSelect } from "@/components/ui/native-select";
import type { Channel, ChannelTestResult } from "@/lib/channel/types";
import type { ActionResult } from "@/lib/http/action";
import type { OperationId } from "@/lib/operations";
import { hueOfTime } from "./last-test";
import { TestResult } from "./test-result";

type TestInput = { id: number; model: string; operation?: OperationId };
type TestAction = (input: TestInput) => Promise<ActionResult<ChannelTestResult>>;
type Run = { serial: number; model: string; result: ChannelTestResult };

const MODELS_SHOWN = 200;

/** `operations`: those that the channel's type can be tested with. */
type PanelProps = { channel: Channel; operations: OperationId[]; testChannel: TestAction };

/** Tests a channel with its default model, with one chosen model, or with all found models one after the other. */
export function ChannelTestPanel({ channel, operations, testChannel }: PanelProps) {
  const t = useTranslations("channel");
  const [, setTest] = useQueryState("test", parseAsInteger.withOptions({ shallow: false }));
  const [open, setOpen] = useState(true);
  const [search, setSearch] = useState("");
  const [operation, setOperation] = useState<OperationId | null>(null);
  const { runs, running, start, stop } = useRuns((model) =>
    testChannel({ id: channel.id, model, ...(operation ? { operation } : {}) }),
  );
  const found = splitList(channel.models).filter((name) => name.toLowerCase().includes(search.trim().toLowerCase()));
  const shown = found.slice(0, MODELS_SHOWN);
  const onClose = () => {
    stop();
    setOpen(false);
    setTest(null);
  };
  return (
    <Drawer open={open} onClose={onClose} title={t("testTitle", { name: channel.name })} description={t("testHint")}>
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" size="md" pending={running !== null} onClick={() => start([""])}>
          {running === null ? <Zap aria-hidden /> : null}
          {running !== null ? t("testing") : runs.length > 0 ? t("testAgain") : t("testRun")}
        </Button>
        {running === null ? (
          <Button size="md" disabled={shown.length === 0} onClick={() => start(shown)}>
            {t("testShown", { count: shown.length })}
          </Button>
        ) : (
          <Button size="md" onClick={stop}>
            <Square aria-hidden />
            {t("testStop")}
          </Button>
        )}
        <p className="self-center text-muted-foreground text-xs">
          {`${t("testDefault")}: ${channel.testModel || splitList(channel.models)[0]}`}
        </p>
      </div>
      {operations.length > 1 ? (
        <OperationSelect operations={operations} value={operation} onValue={setOperation} />
      ) : null}
      <Input
        aria-label={t("modelSearch")}
        placeholder={t("modelSearch")}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
        className="mt-4"
      />
      <ul aria-label={t("models")} className="mt-2 max-h-72 divide-y overflow-y-auto rounded-md border">
        {shown.map((name) => (
          <li key={name} className="flex items-center gap-2 px-2.5 py-1">
            <code className="min-w-0 flex-1 truncate font-mono text-xs">{name}</code>
            <LastResult run={runs.find((run) => run.model === name)} />
            <Button
              className="h-7 px-2 text-xs"
              aria-label={t("testModelNamed", { model: name })}
              pending={running === name}
              disabled={running !== null}
              onClick={() => start([name])}
            >
              {t("test")}
            </Button>
          </li>
        ))}
        {shown.length === 0 ? <li className="px-2.5 py-2 text-muted-foreground text-sm">{t("modelNone")}</li> : null}
      </ul>
      <ol aria-live="polite" className="mt-5 flex flex-col gap-3">
        {runs.map((entry) => (
          <TestResult key={entry.serial} model={entry.model} result={entry.result} />
        ))}
      </ol>
    </Drawer>
  );
}

type SelectProps = {
  operations: OperationId[];
  value: OperationId | null;
  onValue: (operation: OperationId | null) => void;
};

function OperationSelect({ operations, value, onValue }: SelectProps) {
  const t = useTranslations("channel");
  const nameOf = useTranslations("operation");
  return (
    <div className="mt-4">
      <Field label={t("testOperation")} hint={t("testOperationHint")}>
        {(control) => (
          <NativeSelect
            {...control}
            value={value ?? ""}
            onChange={(event) => onValue(operations.find((known) => known === event.target.value) ?? null)}
          >
            <option value="">{t("testOperationByModel")}</option>
            {operations.map((operation) => (
              <option key={operation} value={operation}>
                {nameOf(operation)}
              </option>
            ))}
          </NativeSelect>
        )}
      </Field>
    </div>
  );
}

function LastResult({ run }: { run: Run | undefined }) {
  const t = useTranslations("channel");
  const common = useTranslations("common");
  if (!run) return null;
  const { success, status, timeMs } = run.result;
  if (!success) return <Badge hue="red">{status === undefined ? t("testFailed") : String(status)}</Badge>;
  return <Badge hue={hueOfTime(timeMs)}>{common("seconds", { value: (timeMs / 1_000).toFixed(2) })}</Badge>;
}

/** Tests one model after the other until all are done or the user stops; newest result first. */
function useRuns(test: (model: string) => ReturnType<TestAction>) {
  const { call } = useRunAction();
  const [runs, setRuns] = useState<Run[]>([]);
  const [running, setRunning] = useState<string | null>(null);
  const isStopped = useRef(false);
  const start = async (models: readonly string[]) => {
    isStopped.current = false;
    for (const model of models) {
      if (isStopped.current) break;
      setRunning(model);
      const done = await call(() => test(model));
      // The call itself failed, and a toast said so. The next model would fail the same way.
      if (!done) break;
      const result = done.data;
      setRuns((before) => [{ serial: before.length, model: result.model || model, result }, ...before]);
    }
    setRunning(null);
  };
  const stop = () => {
    isStopped.current = true;
  };
  return { runs, running, start, stop };
}
