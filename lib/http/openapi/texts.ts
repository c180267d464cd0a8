import type { Locale } from "@/lib/i18n/locale";
import en from "./texts.en.json";
import zh from "./texts.zh.json";

/** What the document says in words. Apart from the messages of the pages, which every page carries. */
export type ApiTexts = {
  description: string;
  /** By the name of a tag. */
  tags: Record<string, string>;
  responses: Record<
    | "envelope"
    | "stream"
    | "refused"
    | "unauthenticated"
    | "tooLarge"
    | "tooMany"
    | "retryAfter"
    | "fault"
    | "unavailable"
    | "redirected"
    | "notified"
    | "document"
    | "signIn"
    | "relay"
    | "relayError",
    string
  >;
  /** One line by operationId. */
  operations: Record<string, string>;
};

const texts: Record<Locale, ApiTexts> = { zh, en };

export const apiTexts = (locale: Locale): ApiTexts => texts[locale];
