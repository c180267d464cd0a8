import { getTranslations } from "next-intl/server";
import { Time } from "@/components/format/time";
import { Badge } from "@/components/ui/badge";
import { Link } from "@/components/ui/link";
import type { Page } from "@/lib/page";
import type { UsageLog } from "@/lib/usage-log/columns";
import { TestTime } from "./last-test";

type Logs = { logs: Promise<Page<UsageLog>> };

/** The last failed requests of a channel, each with a link to its log row. */
export async function LastErrors({ logs }: Logs) {
  const [{ items }, t] = await Promise.all([logs, getTranslations("channel")]);
  if (items.length === 0) return <p className="px-4 py-3 text-muted-foreground">{t("errorsNone")}</p>;
  return (
    <ul className="divide-y">
      {items.map((row) => (
        <li key={row.id} className="flex flex-col gap-1 px-4 py-2 text-xs">
          <span className="flex items-center gap-2">
            <Time seconds={row.createdAt} />
            <Badge hue="red">{String(row.other.status_code ?? "—")}</Badge>
            <code dir="auto" className="min-w-0 truncate font-mono" title={row.modelName}>
              {row.modelName}
            </code>
            <Link
              href={`/log?request=${encodeURIComponent(row.requestId)}`}
              className="ml-auto shrink-0 rounded text-primary hover:underline"
            >
              {t("openInLog")}
            </Link>
          </span>
          <span dir="auto" className="line-clamp-3 break-words text-muted-foreground">
            {row.content}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The successful tests of a channel, newest first. */
export async function PastTests({ logs }: Logs) {
  const [{ items }, t] = await Promise.all([logs, getTranslations("channel")]);
  if (items.length === 0) return <p className="px-4 py-3 text-muted-foreground">{t("testsNone")}</p>;
  return (
    <ul className="divide-y">
      {items.map((row) => (
        <li key={row.id} className="flex flex-wrap items-center gap-2 px-4 py-1.5 text-xs">
          <Time seconds={row.createdAt} />
          <code dir="auto" className="min-w-0 truncate font-mono">
            {row.modelName}
          </code>
          <span className="ml-auto">
            <TestTime milliseconds={row.useTimeMs} />
          </span>
        </li>
      ))}
    </ul>
  );
}
