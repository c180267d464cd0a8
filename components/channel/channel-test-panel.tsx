"use client";

import { Square, Zap } from "lucide-react";
import { useTranslations } from "next-intl";
import { parseAsInteger, useQueryState } from "nuqs";
import { useState } from "react";
import { Field } from "@/components/form/field";
import { splitList } from "@/components/form/split-list";
import { Drawer } from "@/components/overlay/drawer";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { NativeSelect } from "@/components/ui/native-select";
import type { Channel } from "@/lib/channel/types";
import { OPERATIONS, type OperationId } from "@/lib/operations";
import { testChannel } from "./actions";
import { useChannelType } from "./channel-types";
import { hueOfTime } from "./last-test";
import { TestResult } from "./test-result";
import { type TestRun, useTestRuns } from "./use-test-runs";

const MODELS_SHOWN = 200;

/** `operations`: those that the channel's type can be tested with. */
type PanelProps = { channel: Channel; operations: OperationId[] };

/** Tests a channel with its default model, with one chosen model, or with all found models one after the other. */
export function ChannelTestPanel({ channel, operations }: PanelProps) {
  const t = useTranslations("channel");
  const [, setTest] = useQueryState("test", parseAsInteger.withOptions({ shallow: false }));
  const [open, setOpen] = useState(true);
  const [search, setSearch] = useState("");
  const [operation, setOperation] = useState<OperationId | null>(null);
  const { runs, running, start, stop } = useTestRuns((model: string) =>
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
      <OperationSelect type={channel.type} operations={operations} value={operation} onValue={setOperation} />
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
            <code dir="auto" className="min-w-0 flex-1 truncate font-mono text-xs">
              {name}
            </code>
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
  type: number;
  /** Those that can be tested. */
  operations: OperationId[];
  value: OperationId | null;
  onValue: (operation: OperationId | null) => void;
};

/** All kinds of requests; those that the type does not serve, or that no test asks for, say so and cannot be chosen. */
function OperationSelect({ type, operations, value, onValue }: SelectProps) {
  const t = useTranslations("channel");
  const editor = useTranslations("channelEditor");
  const served = useChannelType(type)?.operations ?? [];
  const others = OPERATIONS.filter((operation) => !operations.includes(operation));
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
            {others.map((operation) => (
              <option key={operation} value={operation} disabled>
                {served.includes(operation)
                  ? editor("optionUntestable", { operation: nameOf(operation) })
                  : editor("optionUnserved", { operation: nameOf(operation) })}
              </option>
            ))}
          </NativeSelect>
        )}
      </Field>
    </div>
  );
}

function LastResult({ run }: { run: TestRun | undefined }) {
  const t = useTranslations("channel");
  const common = useTranslations("common");
  if (!run) return null;
  const { success, status, timeMs } = run.result;
  if (!success) return <Badge hue="red">{status === undefined ? t("testFailed") : String(status)}</Badge>;
  return <Badge hue={hueOfTime(timeMs)}>{common("seconds", { value: (timeMs / 1_000).toFixed(2) })}</Badge>;
}
