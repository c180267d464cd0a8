import type { AppError } from "@/lib/errors";
import en from "@/messages/en.json";

/** The English text of an error, for the command line. */
export function englishText({ messageKey, params }: AppError): string {
  const texts: Record<string, unknown> = en.errors;
  const text = texts[messageKey];
  if (typeof text !== "string") return messageKey;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole));
}
