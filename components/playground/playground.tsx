"use client";

import { Braces, Columns2, Eraser, History, SlidersHorizontal } from "lucide-react";
import { useTranslations } from "next-intl";
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { Drawer } from "@/components/overlay/drawer";
import { Hint } from "@/components/overlay/hint";
import { Button } from "@/components/ui/button";
import type { PlaygroundChoices } from "@/lib/playground/types";
import { CodeDialog } from "./code-dialog";
import { Composer } from "./composer";
import { addLane, type Conversation, isAnswering, isEmpty, LANES_MAX, removeLane, setLaneModel } from "./conversation";
import { HistorySheet } from "./history-sheet";
import { LaneView } from "./lane-view";
import { chooseModel, newSettings, type PlaygroundSettings } from "./settings";
import { SettingsPanel } from "./settings-panel";
import { readSettings, type StoredSettings, storeSettings } from "./stored-settings";
import { useConversation } from "./use-conversation";

type PlaygroundProps = {
  choices: PlaygroundChoices;
  userId: number;
  /** Base URL of the API, with /v1. */
  baseUrl: string;
  /** Group and model from the URL, set by links on other pages. */
  wanted: { group: string | null; model: string | null };
};

type Panel = "settings" | "history" | "code" | null;

/** The chat with its settings beside it; on phones the settings open in a drawer. */
export function Playground({ choices, userId, baseUrl, wanted }: PlaygroundProps) {
  const t = useTranslations("playground");
  const [panel, setPanel] = useState<Panel>(null);
  const { chat, settings, models, fields } = useChat(choices, userId, wanted);
  const { conversation } = chat;
  const close = () => setPanel(null);
  const [lane] = conversation.lanes;
  return (
    <div data-fill className="flex min-h-0 flex-1 gap-4 max-md:-mx-4 max-md:-mb-4 max-md:first:-mt-4">
      <aside
        aria-label={t("settings")}
        className="hidden w-72 shrink-0 overflow-y-auto rounded-lg border bg-surface p-4 lg:block"
      >
        {fields}
      </aside>
      <section className="flex min-w-0 flex-1 flex-col overflow-hidden rounded-lg border bg-background max-md:rounded-none max-md:border-x-0">
        <Toolbar
          model={lane?.model ?? ""}
          compared={conversation.lanes.length}
          empty={isEmpty(conversation)}
          onPanel={setPanel}
          onClear={chat.clear}
          onCompare={() => chat.update((before) => addLane(before, nextModel(before, models)))}
        />
        <Lanes chat={chat} models={models} />
        <div className="mx-auto w-full max-w-3xl px-3 pb-3 md:px-4">
          <Composer
            answering={isAnswering(conversation)}
            disabled={models.length === 0}
            onSend={chat.ask}
            onStop={chat.stop}
          />
          <p className="mt-1.5 text-center text-muted-foreground text-xs">{t("keys")}</p>
        </div>
      </section>
      <Drawer open={panel === "settings"} onClose={close} title={t("settings")} side="left" className="max-w-80">
        {fields}
      </Drawer>
      <HistorySheet
        open={panel === "history"}
        onClose={close}
        history={chat.history}
        onForget={chat.forget}
        onForgetAll={chat.forgetAll}
        onOpen={(one) => {
          chat.open(one);
          close();
        }}
      />
      {lane ? (
        <CodeDialog open={panel === "code"} onClose={close} baseUrl={baseUrl} lane={lane} settings={settings} />
      ) : null}
    </div>
  );
}

type Chat = ReturnType<typeof useConversation>;

function useChat({ groups, prices }: PlaygroundChoices, userId: number, wanted: PlaygroundProps["wanted"]) {
  const failure = useTranslations("failure");
  const first = groups.find(({ name }) => name === wanted.group) ?? groups[0];
  const [settings, setSettings] = useState<PlaygroundSettings>(() => newSettings(first?.name ?? ""));
  const group = groups.find(({ name }) => name === settings.group);
  const chat = useConversation(chooseModel(first?.models.chat ?? [], wanted.model), {
    userId,
    settings,
    networkFailure: failure("network"),
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

type ToolbarProps = {
  /** Shown when the settings are not beside the chat. */
  model: string;
  compared: number;
  empty: boolean;
  onPanel: (panel: Panel) => void;
  onClear: () => void;
  onCompare: () => void;
};

function Toolbar({ model, compared, empty, onPanel, onClear, onCompare }: ToolbarProps) {
  const t = useTranslations("playground");
  const tools: { label: string; icon: ReactNode; run: () => void; disabled?: boolean }[] = [
    { label: t("compare"), icon: <Columns2 />, run: onCompare, disabled: compared >= LANES_MAX },
    { label: t("history"), icon: <History />, run: () => onPanel("history") },
    { label: t("viewCode"), icon: <Braces />, run: () => onPanel("code") },
    { label: t("clear"), icon: <Eraser />, run: onClear, disabled: empty },
  ];
  return (
    <header className="flex items-center gap-1 border-b bg-surface px-3 py-1.5">
      <Button
        variant="ghost"
        size="md"
        aria-label={`${t("settings")}: ${model || t("noModel")}`}
        onClick={() => onPanel("settings")}
        className="min-w-0 gap-2 px-2 lg:hidden"
      >
        <SlidersHorizontal aria-hidden />
        <span className="truncate">{model || t("noModel")}</span>
      </Button>
      <h1 className="truncate font-semibold max-lg:sr-only">{t("title")}</h1>
      <span className="mr-auto" />
      {tools.map((tool) => (
        <Hint key={tool.label} label={tool.label}>
          <Button
            variant="ghost"
            size="iconMd"
            aria-label={tool.label}
            disabled={tool.disabled ?? false}
            onClick={tool.run}
          >
            {tool.icon}
          </Button>
        </Hint>
      ))}
    </header>
  );
}

function Welcome({ served, onAsk }: { served: boolean; onAsk: (text: string) => void }) {
  const t = useTranslations("playground");
  const examples = [t("example1"), t("example2"), t("example3")];
  return (
    <div className="m-auto flex max-w-lg flex-col items-center gap-3 px-6 py-10 text-center">
      <h2 className="font-semibold text-lg">{served ? t("welcome") : t("noModels")}</h2>
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
