"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { goToSignIn } from "@/components/form/use-report-failure";
import type { PriceRow } from "@/lib/billing/types";
import { type AnswerEnd, askPlayground } from "./ask";
import {
  askAll,
  type ChatMessage,
  type Conversation,
  editQuestion,
  isRunning,
  newConversation,
  patchMessage,
  retryFrom,
  toWireMessages,
} from "./conversation";
import { toFigures } from "./figures";
import { forgetAll, forgetConversation, readHistory, saveConversation } from "./history";
import { type PlaygroundSettings, toRequestBody } from "./settings";

/** Text is shown in pieces of this time: a fast stream would otherwise redraw for every token. */
const PAINT_MS = 40;

type Needs = {
  userId: number;
  /** What the browser says when no answer came. */
  networkFailure: string;
  settings: PlaygroundSettings;
  priceOf: (model: string) => { price: PriceRow | null; groupRatio: number };
};

/** A conversation with its answers as they stream in, and the ones that this browser remembers. */
export function useConversation(firstModel: string, needs: Needs) {
  const [conversation, setConversation] = useState<Conversation>(() => newConversation([firstModel]));
  const [history, setHistory] = useState<Conversation[]>([]);
  const latest = useRef(conversation);
  const open = useRef(new Map<string, AbortController>());
  const current = useRef(needs);
  current.current = needs;

  const update = useCallback((change: (before: Conversation) => Conversation) => {
    latest.current = change(latest.current);
    setConversation(latest.current);
  }, []);
  const remember = useCallback(() => setHistory(saveConversation(current.current.userId, latest.current)), []);
  const stop = useCallback(() => {
    for (const controller of open.current.values()) controller.abort();
  }, []);

  useEffect(() => {
    setHistory(readHistory(needs.userId));
    return stop;
  }, [needs.userId, stop]);

  /** Starts every answer that is awaited and not yet on its way. */
  const startAnswers = () => {
    for (const lane of latest.current.lanes) {
      for (const message of lane.messages) {
        if (message.state !== "loading" || open.current.has(message.id)) continue;
        void answer({ laneId: lane.id, messageId: message.id });
      }
    }
  };

  const answer = async ({ laneId, messageId }: { laneId: string; messageId: string }) => {
    const conversationId = latest.current.id;
    const lane = latest.current.lanes.find((candidate) => candidate.id === laneId);
    if (!lane) return;
    const controller = new AbortController();
    open.current.set(messageId, controller);
    const { settings, userId, priceOf } = current.current;
    const messages = toWireMessages(lane, settings.system);
    const patch = (change: (message: ChatMessage) => Partial<ChatMessage>) => {
      if (latest.current.id === conversationId) update((before) => patchMessage(before, laneId, messageId, change));
    };
    const timing = startTiming();
    const painter = startPainter((text) => patch((message) => ({ text: message.text + text, state: "incomplete" })));
    const end = await askPlayground({
      body: toRequestBody(settings, lane.model, messages),
      userId,
      signal: controller.signal,
      onText: (text) => {
        timing.onText();
        painter.add(text);
      },
    }).catch((): AnswerEnd | null => null);
    painter.flush();
    open.current.delete(messageId);
    if (end?.kind === "signed-out") return goToSignIn();
    const prompt = messages.map(({ content }) => content).join("\n");
    const texts = { prompt, answer: painter.all() };
    const figures = () => toFigures(end?.usage ?? null, texts, priceOf(lane.model), timing.read());
    if (controller.signal.aborted) patch(() => ({ state: "complete", stopped: true, figures: figures() }));
    else if (end === null) patch((message) => failed(message, current.current.networkFailure));
    else if (end.kind === "error") patch((message) => failed(message, end.message));
    else patch(() => ({ state: "complete", figures: figures() }));
    if (latest.current.id === conversationId) remember();
  };

  const change = (step: (before: Conversation) => Conversation) => {
    update(step);
    startAnswers();
  };
  const replace = (next: Conversation) => {
    stop();
    update(() => next);
  };

  return {
    conversation,
    history,
    ask: (text: string) => change((before) => askAll(before, text)),
    retry: (laneId: string, id: string) => change((before) => retryFrom(before, laneId, id)),
    edit: (laneId: string, id: string, text: string) => change((before) => editQuestion(before, laneId, id, text)),
    stop,
    update,
    clear: () => replace(newConversation(latest.current.lanes.map((lane) => lane.model))),
    open: replace,
    forget: (id: string) => setHistory(forgetConversation(needs.userId, id)),
    forgetAll: () => setHistory(forgetAll(needs.userId)),
  };
}

/** What came before the failure stays; what was said about it follows (checklist B270). */
function failed(message: ChatMessage, reason: string): Partial<ChatMessage> {
  if (!isRunning(message)) return {};
  return { state: "error", text: message.text === "" ? reason : `${message.text}\n\n${reason}` };
}

function startTiming() {
  const startedAt = performance.now();
  let firstAt: number | null = null;
  return {
    onText: () => {
      firstAt ??= performance.now();
    },
    read: () => ({
      totalMs: Math.round(performance.now() - startedAt),
      firstTokenMs: firstAt === null ? null : Math.round(firstAt - startedAt),
    }),
  };
}

/** Gathers text and hands it on a few times a second. */
function startPainter(paint: (text: string) => void) {
  let waiting = "";
  let all = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting !== "") paint(waiting);
    waiting = "";
  };
  return {
    add: (text: string) => {
      waiting += text;
      all += text;
      timer ??= setTimeout(flush, PAINT_MS);
    },
    flush,
    all: () => all,
  };
}
