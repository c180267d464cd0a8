import { anthropicMessages } from "./anthropic-messages";
import type { Dialect } from "./dialect";
import { openaiChat } from "./openai-chat";

/** Every dialect by its id. */
export const dialects: ReadonlyMap<string, Dialect> = new Map(
  [openaiChat, anthropicMessages].map((dialect) => [dialect.id, dialect]),
);

/** What callers speak where no endpoint says otherwise. */
export const defaultDialect: Dialect = openaiChat;
