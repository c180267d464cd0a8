import { readStored } from "@/components/shell/stored";
import type { StoredChats } from "./chat-links";

/** What the server's status last said of chat clients (console §1.1). */
export function readStoredChats(): StoredChats {
  return { chats: readStored("chats"), chatLink: readStored("chat_link"), chatLink2: readStored("chat_link2") };
}
