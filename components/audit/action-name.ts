"use client";

import { useTranslations } from "next-intl";

type Lookup = { (key: string): string; has: (key: string) => boolean };

/** The translated name of an action; an action without a translation is shown as recorded. */
export function useActionName(): (action: string) => string {
  const t = useTranslations("audit.actions") as unknown as Lookup;
  return (action) => {
    const name = action.replaceAll(".", "_").replaceAll("-", "_");
    return t.has(name) ? t(name) : action;
  };
}
