"use client";

import { useEffect, useState } from "react";
import { callApi } from "@/components/form/call-api";
import { ChatDataError, type ChatLink, chatLinkAt, isOpenable } from "@/components/shell/chat-links";
import { type Status, storeStatus } from "@/components/shell/store-status";
import { readStoredChats } from "./stored-chats";

export type ChatTarget =
  | { state: "looking" }
  | { state: "found"; link: ChatLink }
  | { state: "missing" }
  | { state: "broken" }
  /** The operator's link is no address. */
  | { state: "wrong" };

/** The client for /chat/{id}. If the stored status has no such client, it waits for a fresh status before reporting "missing". */
export function useChatLink(id: string | undefined): ChatTarget {
  const [target, setTarget] = useState<ChatTarget>({ state: "looking" });
  useEffect(() => {
    let left = false;
    const look = (final: boolean) => {
      if (left) return;
      const found = lookUp(id);
      if (found.state !== "missing" || final) setTarget(found);
    };
    look(false);
    callApi<Status>("/api/status")
      .then(({ data }) => storeStatus(data))
      // Ignored: AppStart already reports a failed status request.
      .catch(() => {})
      .finally(() => look(true));
    return () => {
      left = true;
    };
  }, [id]);
  return target;
}

function lookUp(id: string | undefined): ChatTarget {
  try {
    const link = chatLinkAt(readStoredChats(), id);
    if (!link) return { state: "missing" };
    return isOpenable(link) ? { state: "found", link } : { state: "wrong" };
  } catch (error) {
    if (error instanceof ChatDataError) return { state: "broken" };
    throw error;
  }
}
