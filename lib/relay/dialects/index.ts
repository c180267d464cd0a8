import { anthropicMessages } from "./anthropic-messages";
import type { Dialect } from "./dialect";
import { geminiGenerateContent } from "./gemini-generate-content";
import { openaiChat } from "./openai-chat";
import { openaiResponses } from "./openai-responses";

/** All dialects by id. */
export const dialects: ReadonlyMap<string, Dialect> = new Map(
  [openaiChat, openaiResponses, anthropicMessages, geminiGenerateContent].map((dialect) => [dialect.id, dialect]),
);

/** Used for requests to paths that do not determine a dialect. */
export const defaultDialect: Dialect = openaiChat;
