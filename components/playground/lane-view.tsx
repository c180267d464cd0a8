"use client";

import { X } from "lucide-react";
import { useTranslations } from "next-intl";
import { useEffect, useRef } from "react";
import { Button } from "@/components/ui/button";
import { isRunning, type Lane } from "./conversation";
import { MessageView } from "./message-view";
import { ModelPicker } from "./model-picker";

/** Within this distance from the end, the view keeps scrolling with new text. */
const FOLLOW_PX = 80;

type LaneViewProps = {
  lane: Lane;
  /** Several lanes are shown, so each shows its model. */
  compared: boolean;
  models: readonly string[];
  busy: boolean;
  onModel: (model: string) => void;
  onRemove: () => void;
  onRetry: (messageId: string) => void;
  onEdit: (messageId: string, text: string) => void;
};

export function LaneView(props: LaneViewProps) {
  const { lane, compared, models, busy } = props;
  const t = useTranslations("playground");
  const end = useFollow(lane);
  const running = lane.messages.some(isRunning);
  return (
    <section aria-label={lane.model} className="flex min-h-0 min-w-0 flex-1 flex-col">
      {compared ? (
        <div className="flex items-center gap-1 border-b px-3 py-2">
          <ModelPicker label={t("model")} models={models} value={lane.model} onValue={props.onModel} className="h-8" />
          <Button
            variant="ghost"
            size="icon"
            aria-label={t("removeModel", { model: lane.model })}
            onClick={props.onRemove}
          >
            <X />
          </Button>
        </div>
      ) : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <div tabIndex={0} className="min-h-0 flex-1 overflow-y-auto px-3 py-4 md:px-4">
        {/* aria-busy keeps screen readers from announcing every token; the answer is read when it is complete. */}
        <div role="log" aria-live="polite" aria-busy={running} className="mx-auto flex max-w-3xl flex-col gap-5">
          {lane.messages.map((message) => (
            <MessageView
              key={message.id}
              message={message}
              busy={busy}
              onRetry={() => props.onRetry(message.id)}
              onEdit={(text) => props.onEdit(message.id, text)}
            />
          ))}
        </div>
        <div ref={end} />
      </div>
    </section>
  );
}

/** Scrolls to the end while an answer streams, unless the user has scrolled away. */
function useFollow(lane: Lane) {
  const end = useRef<HTMLDivElement>(null);
  const count = useRef(0);
  const last = lane.messages.at(-1);
  const length = last?.text.length ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the growth of the last message is what is followed
  useEffect(() => {
    const box = end.current?.parentElement;
    if (!box) return;
    const asked = lane.messages.length !== count.current;
    count.current = lane.messages.length;
    const away = box.scrollHeight - box.scrollTop - box.clientHeight;
    if (asked || away < FOLLOW_PX) box.scrollTop = box.scrollHeight;
  }, [lane.messages.length, length]);
  return end;
}
