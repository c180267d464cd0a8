import type { StoredChats } from "@/components/shell/chat-links";
import { readStored, writeStored } from "@/components/ui/stored";

/** The chat settings of the last known server status (console §1.1). */
export function readStoredChats(): StoredChats {
  return { chats: readStored("chats"), chatLink: readStored("chat_link"), chatLink2: readStored("chat_link2") };
}

const WARNED_KEY = "chat-key-warned";

const warnedHosts = (): string[] => (readStored(WARNED_KEY) ?? "").split(",").filter(Boolean);

/** Whether this browser has already shown the warning that this host gets a token's key. */
export const isWarned = (host: string): boolean => warnedHosts().includes(host);

export function rememberWarning(host: string): void {
  if (!isWarned(host)) writeStored(WARNED_KEY, [...warnedHosts(), host].join(","));
}
