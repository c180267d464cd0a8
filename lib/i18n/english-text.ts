import en from "@/messages/en.json";

type Params = Readonly<Record<string, unknown>>;

/** The English text of an error by its key, for the command line; what is no key is a text already. */
export function englishText({ messageKey, params = {} }: { messageKey: string; params?: Params }): string {
  const texts: Record<string, unknown> = en.errors;
  const text = texts[messageKey];
  if (typeof text !== "string") return messageKey;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole));
}
