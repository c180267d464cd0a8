"use client";

import { useTranslations } from "next-intl";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { type ComponentType, useEffect, useRef, useState } from "react";
import { cn } from "@/components/ui/class-names";
import { PLAYGROUND_OPERATIONS, type PlaygroundOperation } from "@/lib/playground/types";
import { ChatTab, type TabProps } from "./chat-tab";
import { EmbeddingsTab } from "./operations/embeddings-tab";
import { ImagesTab } from "./operations/images-tab";
import { SpeechTab } from "./operations/speech-tab";
import { TranscriptionsTab } from "./operations/transcriptions-tab";

const TABS: Readonly<Record<PlaygroundOperation, ComponentType<TabProps>>> = {
  chat: ChatTab,
  images: ImagesTab,
  speech: SpeechTab,
  transcriptions: TranscriptionsTab,
  embeddings: EmbeddingsTab,
};

const tabParser = parseAsStringLiteral(PLAYGROUND_OPERATIONS);

/** A tab for each operation. A tab that was open goes on with its work while another is shown. */
export function Playground(props: TabProps) {
  const t = useTranslations("playground");
  const [chosen, setTab] = useQueryState("tab", tabParser);
  const tab = chosen ?? tabOf(props);
  const [opened, setOpened] = useState<ReadonlySet<PlaygroundOperation>>(new Set([tab]));
  if (!opened.has(tab)) setOpened(new Set([...opened, tab]));
  return (
    <div data-fill className="flex min-h-0 flex-1 flex-col max-md:-mx-4 max-md:-mb-4 max-md:first:-mt-4">
      <div className="flex items-end gap-4 border-b max-md:bg-surface md:mb-4">
        <h1 dir="auto" className="mb-2 truncate font-semibold text-lg max-lg:sr-only">
          {t("title")}
        </h1>
        <TabBar tab={tab} onTab={(next) => void setTab(next)} />
      </div>
      {PLAYGROUND_OPERATIONS.filter((one) => opened.has(one)).map((one) => {
        const Tab = TABS[one];
        return (
          <div key={one} hidden={one !== tab} className="flex min-h-0 flex-1 flex-col">
            <Tab {...props} />
          </div>
        );
      })}
    </div>
  );
}

function TabBar({ tab, onTab }: { tab: PlaygroundOperation; onTab: (tab: PlaygroundOperation) => void }) {
  const t = useTranslations("playground");
  const shown = useRef<HTMLButtonElement>(null);
  // On phones the bar scrolls, so the selected tab may be out of view.
  useEffect(() => {
    const button = shown.current;
    if (button?.parentElement && tab)
      button.parentElement.scrollLeft = button.offsetLeft - (button.parentElement.clientWidth - button.offsetWidth) / 2;
  }, [tab]);
  return (
    <nav aria-label={t("tabs")} className="relative flex min-w-0 gap-1 overflow-x-auto max-md:px-2">
      {PLAYGROUND_OPERATIONS.map((one) => (
        <button
          key={one}
          ref={one === tab ? shown : null}
          type="button"
          aria-current={one === tab ? "page" : undefined}
          onClick={() => onTab(one)}
          className={cn(
            "-mb-px shrink-0 border-transparent border-b-2 px-3 py-2 text-muted-foreground hover:text-foreground",
            one === tab && "border-primary font-medium text-foreground",
          )}
        >
          {t(`tab.${one}`)}
        </button>
      ))}
    </nav>
  );
}

/** The tab that the model in the URL is for. */
function tabOf({ choices, wanted }: TabProps): PlaygroundOperation {
  const { model } = wanted;
  if (model === null) return "chat";
  const isFor = (one: PlaygroundOperation) => choices.groups.some(({ models }) => models[one].includes(model));
  return PLAYGROUND_OPERATIONS.find(isFor) ?? "chat";
}
