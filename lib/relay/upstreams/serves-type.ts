import { rows } from "./rows";
import { servesChat } from "./serves-chat";

/** Whether a channel of this type can be asked for conversations or embeddings. */
export function servesType(type: number): boolean {
  const row = rows.get(type);
  return row !== undefined && (servesChat(row) || row.takesEmbeddings);
}
