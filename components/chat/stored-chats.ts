import type { StoredChats } from "@/components/shell/chat-links";
import { readStored } from "@/components/ui/stored";

/** The chat settings of the last known server status (console §1.1). */
export function readStoredChats(): StoredChats {
  return { chats: readStored("chats"), chatLink: readStored("chat_link"), chatLink2: readStored("chat_link2") };
}
