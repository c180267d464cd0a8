"use client";

import { useTranslations } from "next-intl";

type Lookup = { (key: string): string; has: (key: string) => boolean };

/**
 * The words for a value that is stored as a number: the status or role of what an entry is about, such as "user:7".
 * Other values are shown as recorded.
 */
export function useValueName(subject: string): (key: string, text: string) => string {
  const t = useTranslations("audit.change.value") as unknown as Lookup;
  const [kind = ""] = subject.split(":");
  return (key, text) => {
    // The status of a tag is that of its channels.
    const name = `${kind === "tag" ? "channel" : kind}_${key}_${text}`;
    return /^\w+$/.test(name) && t.has(name) ? t(name) : text;
  };
}
