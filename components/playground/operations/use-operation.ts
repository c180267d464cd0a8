"use client";

import { useTranslations } from "next-intl";
import { useEffect, useEffectEvent, useState } from "react";
import { newId } from "@/components/form/new-id";
import type { MediaOperation } from "@/lib/playground/types";
import type { TabProps } from "../chat-tab";
import { chooseModel } from "../settings";
import { type PastCall, readCalls, storeCalls } from "./call-history";
import type { CallContext } from "./call-operation";
import { type Choice, fitting, type Parameters, readChoice, storeChoice } from "./stored-choice";
import { useRun, type Work } from "./use-run";

/** What tells an operation from the others. */
export type OperationKind<P extends Parameters, Result, Kept> = {
  operation: MediaOperation;
  usual: P;
  /** What the history keeps of a result. */
  keep: (result: Result) => Kept | Promise<Kept>;
  isKept: (value: unknown) => value is Kept;
  restore: (kept: Kept) => Result;
};

/** The choice, the running call and the history of a tab. */
export function useOperation<P extends Parameters, Result, Kept>(
  kind: OperationKind<P, Result, Kept>,
  { choices, userId, wanted }: TabProps,
) {
  const failure = useTranslations("failure");
  const { choice, change, models } = useChoice(kind, { choices, userId, wanted });
  const [input, setInput] = useState("");
  const { calls, remember, forget, forgetAll } = useCalls(kind, userId);
  const { run, start, stop, show } = useRun<Result>({
    userId,
    networkFailure: failure("network"),
    signedOut: failure("signedOut"),
  });
  return {
    choice,
    change,
    models,
    input,
    setInput,
    run,
    stop,
    calls,
    forget,
    forgetAll,
    clear: () => show(null),
    /** `title`: what the history calls it. */
    begin: (title: string, work: (context: Omit<CallContext, "signal">) => Work<Result>) => {
      const { model, parameters } = choice;
      void start(work({ userId, group: choice.group }), async (result) => {
        const call = { id: newId(), at: Date.now(), model, parameters, title, input };
        remember({ ...call, result: await kind.keep(result) });
      });
    },
    open: (call: PastCall<Kept>) => {
      setInput(call.input);
      change({ model: chooseModel(models, call.model), parameters: fitting(kind.usual, call.parameters) });
      show(kind.restore(call.result));
    },
  };
}

function useChoice<P extends Parameters>(
  { operation, usual }: Pick<OperationKind<P, unknown, unknown>, "operation" | "usual">,
  { choices, userId, wanted }: Pick<TabProps, "choices" | "userId" | "wanted">,
) {
  const { groups } = choices;
  const modelsOf = (name: string) => groups.find((group) => group.name === name)?.models[operation] ?? [];
  const toChoice = (group: string | null, model: string | null, parameters: P): Choice<P> => {
    const name = groups.find((one) => one.name === group)?.name ?? groups[0]?.name ?? "";
    return { group: name, model: chooseModel(modelsOf(name), model), parameters };
  };
  const [choice, setChoice] = useState(() => toChoice(wanted.group, wanted.model, usual));
  const [isReady, setReady] = useState(false);
  const load = useEffectEvent(() => {
    const last = readChoice(operation, userId, usual);
    const isWanted = wanted.model !== null && modelsOf(choice.group).includes(wanted.model);
    if (last) setChoice(toChoice(wanted.group ?? last.group, isWanted ? wanted.model : last.model, last.parameters));
    setReady(true);
  });
  useEffect(() => load(), []);
  useEffect(() => {
    if (isReady) storeChoice(operation, userId, choice);
  }, [isReady, operation, userId, choice]);
  const change = (next: Partial<Choice<P>>) =>
    setChoice((before) => {
      const after = { ...before, ...next };
      return { ...after, model: chooseModel(modelsOf(after.group), after.model) };
    });
  return { choice, change, models: modelsOf(choice.group) };
}

function useCalls<Kept>(
  { operation, isKept }: Pick<OperationKind<Parameters, unknown, Kept>, "operation" | "isKept">,
  userId: number,
) {
  const [calls, setCalls] = useState<PastCall<Kept>[]>([]);
  const load = useEffectEvent(() => setCalls(readCalls(operation, userId, isKept)));
  useEffect(() => load(), []);
  // Read again, because another window may have added to them.
  const store = (change: (calls: PastCall<Kept>[]) => PastCall<Kept>[]) =>
    setCalls(storeCalls(operation, userId, change(readCalls(operation, userId, isKept))));
  return {
    calls,
    remember: (call: PastCall<Kept>) => store((before) => [call, ...before]),
    forget: (id: string) => store((before) => before.filter((call) => call.id !== id)),
    forgetAll: () => store(() => []),
  };
}
