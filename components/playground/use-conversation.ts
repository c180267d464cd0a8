"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { type AnswerNeeds, runAnswer } from "./answer";
import {
  askAll,
  type Conversation,
  editQuestion,
  type Lane,
  newConversation,
  patchMessage,
  retryFrom,
} from "./conversation";
import { forgetAll, forgetConversation, readHistory, saveConversation } from "./history";

/** The current conversation with its streaming answers, and the stored history. */
export function useConversation(first: () => Conversation, needs: AnswerNeeds) {
  const { userId } = needs;
  const [history, setHistory] = useState<Conversation[]>([]);
  useEffect(() => setHistory(readHistory(userId)), [userId]);
  const remember = (conversation: Conversation) => setHistory(saveConversation(userId, conversation));
  const { conversation, update, change, replace, stop } = useAnswers(first, needs, remember);
  return {
    conversation,
    history,
    stop,
    update,
    ask: (text: string) => change((before) => askAll(before, text)),
    retry: (laneId: string, id: string) => change((before) => retryFrom(before, laneId, id)),
    edit: (laneId: string, id: string, text: string) => change((before) => editQuestion(before, laneId, id, text)),
    clear: () => replace(newConversation(conversation.lanes.map((lane) => lane.model))),
    open: replace,
    forget: (id: string) => setHistory(forgetConversation(userId, id)),
    forgetAll: () => setHistory(forgetAll(userId)),
  };
}

/**
 * The conversation on the page. `change` starts a request for every pending answer; `onKept` is called after each question
 * and each finished answer.
 */
function useAnswers(first: () => Conversation, needs: AnswerNeeds, onKept: (conversation: Conversation) => void) {
  const [conversation, setConversation] = useState<Conversation>(first);
  const latest = useRef(conversation);
  const open = useRef(new Map<string, AbortController>());

  const update = useCallback((change: (before: Conversation) => Conversation) => {
    latest.current = change(latest.current);
    setConversation(latest.current);
  }, []);
  const stop = useCallback(() => {
    for (const controller of open.current.values()) controller.abort();
  }, []);
  useEffect(() => stop, [stop]);

  const answer = async (lane: Lane, messageId: string) => {
    const { id } = latest.current;
    const controller = new AbortController();
    open.current.set(messageId, controller);
    // Ignore the answer if the user has switched to another conversation.
    const isHere = () => latest.current.id === id;
    await runAnswer(lane, needs, controller.signal, (change) => {
      if (isHere()) update((before) => patchMessage(before, lane.id, messageId, change));
    });
    open.current.delete(messageId);
    if (isHere()) onKept(latest.current);
  };
  const change = (step: (before: Conversation) => Conversation) => {
    update(step);
    // Store the question now, in case the page is closed before the answer arrives.
    onKept(latest.current);
    for (const lane of latest.current.lanes)
      for (const message of lane.messages)
        if (message.state === "loading" && !open.current.has(message.id)) void answer(lane, message.id);
  };
  const replace = (next: Conversation) => {
    stop();
    update(() => next);
  };
  return { conversation, update, change, replace, stop };
}
