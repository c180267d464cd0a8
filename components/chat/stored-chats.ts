import { readStored } from "@/components/shell/stored";
import type { StoredChats } from "./chat-links";

/** The chat settings of the last known server status (console §1.1). */
export function readStoredChats(): StoredChats {
  return { chats: readStored("chats"), chatLink: readStored("chat_link"), chatLink2: readStored("chat_link2") };
}
