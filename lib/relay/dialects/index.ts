import type { Dialect } from "./dialect";
import { openaiChat } from "./openai-chat";

const known: readonly Dialect[] = [openaiChat as unknown as Dialect];

/** The wire formats of conversations, by id. */
export const dialects: ReadonlyMap<string, Dialect> = new Map(known.map((dialect) => [dialect.id, dialect]));

/** What callers read where no endpoint says otherwise. */
export const defaultDialect: Dialect = openaiChat as unknown as Dialect;
