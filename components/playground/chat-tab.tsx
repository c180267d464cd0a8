"use client";

import { Braces, Columns2, Eraser, History } from "lucide-react";
import { useTranslations } from "next-intl";
import { useEffect, useEffectEvent, useState } from "react";
import { Button } from "@/components/ui/button";
import { useLater } from "@/components/ui/later";
import type { Replay } from "@/lib/capture/replay";
import type { PlaygroundChoices } from "@/lib/playground/types";
import { CodeDialog } from "./code-dialog";
import { toCode } from "./code-samples";
import { Composer } from "./composer";
import {
  addLane,
  begunConversation,
  type Conversation,
  isAnswering,
  isEmpty,
  LANES_MAX,
  type Lane,
  removeLane,
  setLaneModel,
  titleOf,
  toWireMessages,
} from "./conversation";
import { HISTORY_MAX } from "./history";
import { HistorySheet } from "./history-sheet";
import { LaneView } from "./lane-view";
import { markdownCode } from "./message-view";
import { type FrameTool, PlaygroundFrame } from "./playground-frame";
import { chooseModel, newSettings, type PlaygroundSettings } from "./settings";
import { SettingsPanel } from "./settings-panel";
import { readSettings, type StoredSettings, storeSettings } from "./stored-settings";
import { useConversation } from "./use-conversation";
import { useExplain } from "./use-explain";

type ChatCodeProps = {
  open: boolean;
  onClose: () => void;
  baseUrl: string;
  lane: Lane;
  settings: PlaygroundSettings;
};

/** The current conversation as sample code. */
function ChatCode({ open, onClose, baseUrl, lane, settings }: ChatCodeProps) {
  const messages = toWireMessages(lane, settings.system);
  // The sample ends with the user's question, so trailing answers are removed.
  while (messages.at(-1)?.role === "assistant") messages.pop();
  const sample = { baseUrl, model: lane.model, messages, settings };
  return <CodeDialog open={open} onClose={onClose} toCode={(language) => toCode(language, sample)} />;
}

export type TabProps = {
  choices: PlaygroundChoices;
  userId: number;
  /** Base URL of the API, with /v1. */
  baseUrl: string;
  /** Group and model from the URL, set by links on other pages. */
  wanted: { group: string | null; model: string | null };
  /** A captured request that it begins with. */
  replay?: Replay | null;
};

type Panel = "history" | "code" | null;

/** The chat with its settings beside it. */
export function ChatTab({ choices, userId, baseUrl, wanted, replay = null }: TabProps) {
  const t = useTranslations("playground");
  // Before the first answer is there.
  useLater(markdownCode);
  const [panel, setPanel] = useState<Panel>(null);
  const { chat, settings, models, fields } = useChat(choices, userId, { wanted, replay });
  const { conversation } = chat;
  const close = () => setPanel(null);
  const [lane] = conversation.lanes;
  const tools: FrameTool[] = [
    {
      label: t("compare"),
      icon: <Columns2 />,
      run: () => chat.update((before) => addLane(before, nextModel(before, models))),
      disabled: conversation.lanes.length >= LANES_MAX,
    },
    { label: t("history"), icon: <History />, run: () => setPanel("history") },
    { label: t("viewCode"), icon: <Braces />, run: () => setPanel("code") },
    { label: t("clear"), icon: <Eraser />, run: chat.clear, disabled: isEmpty(conversation) },
  ];
  return (
    <PlaygroundFrame fields={fields} model={lane?.model ?? ""} tools={tools}>
      <Lanes chat={chat} models={models} />
      <div className="mx-auto w-full max-w-3xl px-3 pb-3 md:px-4">
        <Composer
          start={replay?.draft ?? ""}
          answering={isAnswering(conversation)}
          disabled={models.length === 0}
          onSend={chat.ask}
          onStop={chat.stop}
        />
        <p className="mt-1.5 text-center text-muted-foreground text-xs">{t("keys")}</p>
      </div>
      <ChatHistory open={panel === "history"} onClose={close} chat={chat} />
      {lane ? (
        <ChatCode open={panel === "code"} onClose={close} baseUrl={baseUrl} lane={lane} settings={settings} />
      ) : null}
    </PlaygroundFrame>
  );
}

function ChatHistory({ open, onClose, chat }: { open: boolean; onClose: () => void; chat: Chat }) {
  const t = useTranslations("playground");
  const items = chat.history.map((one) => ({
    id: one.id,
    title: titleOf(one),
    models: one.lanes.map((lane) => lane.model).join(", "),
    seconds: Math.floor(one.updatedAt / 1000),
  }));
  return (
    <HistorySheet
      open={open}
      onClose={onClose}
      items={items}
      texts={{
        about: t("historyText", { max: String(HISTORY_MAX) }),
        empty: t("historyEmpty"),
        forgetAllTitle: t("forgetAllTitle"),
        forgetAllText: t("forgetAllText", { count: items.length }),
      }}
      onForget={chat.forget}
      onForgetAll={chat.forgetAll}
      onOpen={(id) => {
        const one = chat.history.find((conversation) => conversation.id === id);
        if (one) chat.open(one);
        onClose();
      }}
    />
  );
}

type Chat = ReturnType<typeof useConversation>;

type Start = { wanted: TabProps["wanted"]; replay: Replay | null };

function useChat({ groups, prices }: PlaygroundChoices, userId: number, { wanted, replay }: Start) {
  const failure = useTranslations("failure");
  const explain = useExplain();
  const first = groups.find(({ name }) => name === wanted.group) ?? groups[0];
  const [settings, setSettings] = useState<PlaygroundSettings>(() => ({
    ...newSettings(first?.name ?? ""),
    ...replay?.settings,
  }));
  const group = groups.find(({ name }) => name === settings.group);
  const firstModel = chooseModel(first?.models.chat ?? [], replay?.model ?? wanted.model);
  const chat = useConversation(() => begunConversation(firstModel, replay?.messages ?? []), {
    userId,
    settings,
    networkFailure: failure("network"),
    signedOut: failure("signedOut"),
    explain,
    priceOf: (model) => ({ price: prices[model] ?? null, groupRatio: group?.ratio ?? 1 }),
  });
  const [lane] = chat.conversation.lanes;
  const onSettings = (change: Partial<PlaygroundSettings>) => {
    setSettings((before) => ({ ...before, ...change }));
    if (change.group === undefined || change.group === settings.group) return;
    const served = groups.find(({ name }) => name === change.group)?.models.chat ?? [];
    chat.update((before) => withModelsOf(before, served));
  };
  const onModel = (model: string) => {
    if (lane) chat.update((before) => setLaneModel(before, lane.id, model));
  };
  useRemembered(userId, { settings, model: lane?.model ?? "" }, (last) => {
    if (replay) return;
    const group = groups.find(({ name }) => name === (wanted.group ?? last.settings.group)) ?? first;
    setSettings({ ...last.settings, group: group?.name ?? "" });
    const model = chooseModel(group?.models.chat ?? [], wanted.model ?? last.model);
    chat.update((before) => ({ ...before, lanes: before.lanes.map((one) => ({ ...one, model })) }));
  });
  const shown = { settings, onSettings, groups, model: lane?.model ?? "", onModel };
  return { chat, settings, models: group?.models.chat ?? [], fields: <SettingsPanel {...shown} /> };
}

/** Loads the settings of the last visit, then stores every change. */
function useRemembered(userId: number, now: StoredSettings, onLast: (last: StoredSettings) => void) {
  const [ready, setReady] = useState(false);
  const text = JSON.stringify(now);
  const start = useEffectEvent(() => {
    const last = readSettings(userId);
    if (last) onLast(last);
    setReady(true);
  });
  const keep = useEffectEvent(() => storeSettings(userId, now));
  useEffect(() => start(), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is kept is what this text says
  useEffect(() => {
    if (ready) keep();
  }, [ready, text]);
}

function Lanes({ chat, models }: { chat: Chat; models: readonly string[] }) {
  const { conversation } = chat;
  const compared = conversation.lanes.length > 1;
  return (
    <div className="flex min-h-0 flex-1 divide-x overflow-x-auto max-md:flex-col max-md:divide-x-0 max-md:divide-y">
      {isEmpty(conversation) && !compared ? (
        <Welcome served={models.length > 0} onAsk={chat.ask} />
      ) : (
        conversation.lanes.map((lane) => (
          <LaneView
            key={lane.id}
            lane={lane}
            compared={compared}
            models={models}
            busy={isAnswering(conversation)}
            onModel={(model) => chat.update((before) => setLaneModel(before, lane.id, model))}
            onRemove={() => chat.update((before) => removeLane(before, lane.id))}
            onRetry={(id) => chat.retry(lane.id, id)}
            onEdit={(id, text) => chat.edit(lane.id, id, text)}
          />
        ))
      )}
    </div>
  );
}

/** Replaces models that the newly selected group does not serve. */
function withModelsOf(conversation: Conversation, models: readonly string[]): Conversation {
  const lanes = conversation.lanes.map((lane) => ({ ...lane, model: chooseModel(models, lane.model) }));
  return { ...conversation, lanes };
}

/** The first model that no lane uses yet. */
function nextModel(conversation: Conversation, models: readonly string[]): string {
  const asked = new Set(conversation.lanes.map((lane) => lane.model));
  return models.find((model) => !asked.has(model)) ?? models[0] ?? "";
}

function Welcome({ served, onAsk }: { served: boolean; onAsk: (text: string) => void }) {
  const t = useTranslations("playground");
  const examples = [t("example1"), t("example2"), t("example3")];
  return (
    <div className="m-auto flex max-w-lg flex-col items-center gap-3 px-6 py-10 text-center">
      <h2 dir="auto" className="font-semibold text-lg">
        {served ? t("welcome") : t("noModels")}
      </h2>
      <p className="text-muted-foreground">{served ? t("welcomeText") : t("noModelsText")}</p>
      {served ? (
        <ul className="mt-2 flex flex-wrap justify-center gap-2">
          {examples.map((example) => (
            <li key={example}>
              <Button onClick={() => onAsk(example)} className="h-auto whitespace-normal py-1.5 text-left font-normal">
                {example}
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
