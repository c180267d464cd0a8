"use client";

import { useTranslations } from "next-intl";
import { useQuotaDisplay } from "@/components/format/quota-display";
import type { UsageLog } from "@/lib/usage-log/columns";
import { readEvent } from "@/lib/usage-log/event-values";

/** The translated text of a row: rows with an event use the message of that event, all others show their content as recorded. */
export function useLogText(): (row: Pick<UsageLog, "other" | "content">) => string {
  const t = useTranslations("logEvent");
  const display = useQuotaDisplay();
  return ({ other, content }) => {
    const read = readEvent(other, display);
    if (!read || !t.has(read.event as Parameters<typeof t.has>[0])) return content;
    // The types do not know the parameters of an event; a test checks that the messages match.
    const translate: (key: string, values: Record<string, string>) => string = t as never;
    return translate(read.event, read.values);
  };
}
