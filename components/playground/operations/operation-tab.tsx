"use client";

import { Braces, Eraser, History, RotateCcw } from "lucide-react";
import { useTranslations } from "next-intl";
import { type ReactNode, useState } from "react";
import { Button } from "@/components/ui/button";
import type { PlaygroundGroup } from "@/lib/playground/types";
import { CodeDialog } from "../code-dialog";
import type { CodeLanguage } from "../code-samples";
import { GroupModelFields } from "../group-model-fields";
import { HistorySheet } from "../history-sheet";
import { PlaygroundFrame } from "../playground-frame";
import { CALLS_MAX, type PastCall } from "./call-history";
import { RunView } from "./run-view";
import type { Choice, Parameters } from "./stored-choice";
import type { Run } from "./use-run";

type OperationTabProps<P extends Parameters, Result, Kept> = {
  groups: readonly PlaygroundGroup[];
  tab: {
    choice: Choice<P>;
    change: (next: Partial<Choice<P>>) => void;
    models: readonly string[];
    run: Run<Result> | null;
    calls: readonly PastCall<Kept>[];
    clear: () => void;
    forget: (id: string) => void;
    forgetAll: () => void;
    open: (call: PastCall<Kept>) => void;
  };
  usual: P;
  /** The fields of the operation's parameters. */
  fields: ReactNode;
  /** What is asked, with the button that sends it. */
  composer: ReactNode;
  /** What the tab is for, shown while there is no result. */
  about: string;
  renderResult: (result: Result) => ReactNode;
  toCode: (language: CodeLanguage) => string;
};

type Panel = "history" | "code" | null;

/** A tab beside the chat: parameters, what is asked, and what came of it. */
export function OperationTab<P extends Parameters, Result, Kept>(props: OperationTabProps<P, Result, Kept>) {
  const { groups, tab, usual, fields, composer, about, renderResult, toCode } = props;
  const { choice, change, models, run } = tab;
  const t = useTranslations("playground");
  const [panel, setPanel] = useState<Panel>(null);
  const close = () => setPanel(null);
  const isChanged = JSON.stringify(choice.parameters) !== JSON.stringify(usual);
  return (
    <PlaygroundFrame
      model={choice.model}
      tools={[
        { label: t("history"), icon: <History />, run: () => setPanel("history") },
        { label: t("viewCode"), icon: <Braces />, run: () => setPanel("code") },
        { label: t("call.clear"), icon: <Eraser />, run: tab.clear, disabled: run === null },
      ]}
      fields={
        <div className="flex flex-col gap-4">
          <GroupModelFields
            groups={groups}
            group={choice.group}
            onGroup={(group) => change({ group })}
            models={models}
            model={choice.model}
            onModel={(model) => change({ model })}
          />
          {fields}
          {isChanged ? (
            <Button onClick={() => change({ parameters: usual })} className="self-start">
              <RotateCcw aria-hidden />
              {t("resetSettings")}
            </Button>
          ) : null}
        </div>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <div tabIndex={0} className="min-h-0 flex-1 overflow-y-auto px-3 py-4 md:px-4">
        <div className="mx-auto flex max-w-4xl flex-col gap-4">
          {composer}
          {run ? <RunView run={run} renderResult={renderResult} /> : <Intro served={models.length > 0} about={about} />}
        </div>
      </div>
      <Past tab={tab} open={panel === "history"} onClose={close} />
      <CodeDialog open={panel === "code"} onClose={close} toCode={toCode} />
    </PlaygroundFrame>
  );
}

function Intro({ served, about }: { served: boolean; about: string }) {
  const t = useTranslations("playground");
  return (
    <div className="m-auto max-w-lg px-6 py-8 text-center">
      {served ? null : (
        <h2 dir="auto" className="mb-1 font-semibold text-lg">
          {t("call.noModels")}
        </h2>
      )}
      <p className="text-muted-foreground">{served ? about : t("noModelsText")}</p>
    </div>
  );
}

type PastProps<Kept> = {
  tab: {
    calls: readonly PastCall<Kept>[];
    forget: (id: string) => void;
    forgetAll: () => void;
    open: (call: PastCall<Kept>) => void;
  };
  open: boolean;
  onClose: () => void;
};

function Past<Kept>({ tab, open, onClose }: PastProps<Kept>) {
  const t = useTranslations("playground");
  return (
    <HistorySheet
      open={open}
      onClose={onClose}
      items={tab.calls.map(({ id, title, model, at }) => ({
        id,
        title,
        models: model,
        seconds: Math.floor(at / 1000),
      }))}
      texts={{
        about: t("call.historyText", { max: String(CALLS_MAX) }),
        empty: t("call.historyEmpty"),
        forgetAllTitle: t("call.forgetAllTitle"),
        forgetAllText: t("call.forgetAllText", { count: tab.calls.length }),
      }}
      onForget={tab.forget}
      onForgetAll={tab.forgetAll}
      onOpen={(id) => {
        const call = tab.calls.find((one) => one.id === id);
        if (call) tab.open(call);
        onClose();
      }}
    />
  );
}
