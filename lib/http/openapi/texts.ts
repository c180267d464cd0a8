import type { Locale } from "@/lib/i18n/locale";
import fieldsEn from "./fields.en.json";
import fieldsZh from "./fields.zh.json";
import en from "./texts.en.json";
import zh from "./texts.zh.json";

/** The texts of the document. Kept apart from the messages of the console, which every page loads. */
export type ApiTexts = {
  description: string;
  /** By tag name. */
  tags: Record<string, string>;
  responses: Record<
    | "envelope"
    | "stream"
    | "refused"
    | "unauthenticated"
    | "notFound"
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
    | "dialectError"
    | "headersTooLarge"
    | "file"
    | "relayError",
    string
  >;
  /** The headers of a proof that is sent along; {field} is the field of a JSON body for the same. */
  proof: { password: string; code: string };
  /** One line per operationId. */
  operations: Record<string, string>;
  /** What a field of a body or a query means: by "METHOD path field" where it means something of its own there, else by its name. */
  fields: Record<string, string>;
};

const texts: Record<Locale, ApiTexts> = { zh: { ...zh, fields: fieldsZh }, en: { ...en, fields: fieldsEn } };

export const apiTexts = (locale: Locale): ApiTexts => texts[locale];
