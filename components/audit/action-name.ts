"use client";

import { useTranslations } from "next-intl";

type Lookup = { (key: string): string; has: (key: string) => boolean };

/** What an action is called in the reader's language; one without a name shows as it is recorded. */
export function useActionName(): (action: string) => string {
  const t = useTranslations("audit.actions") as unknown as Lookup;
  return (action) => {
    const name = action.replaceAll(".", "_").replaceAll("-", "_");
    return t.has(name) ? t(name) : action;
  };
}
