"use client";

import { ArrowRight } from "lucide-react";
import { useTranslations } from "next-intl";
import { cn } from "@/components/ui/class-names";
import type { BulkPreview } from "@/lib/channel/bulk-types";
import { useStatusName } from "./channel-status";

type Value = BulkPreview["rows"][number]["before"];

/** What a change would do: the number of rows, the first rows one by one, and the rows it skips. */
export function BulkPreviewTable({ preview }: { preview: BulkPreview }) {
  const t = useTranslations("channel");
  const say = useSaidValue(preview.field);
  const hidden = preview.changed - preview.rows.length;
  return (
    <section aria-label={t("preview")} className="flex flex-col gap-2 text-xs">
      <p role="status" className="text-sm">
        {t("previewSum", { changed: preview.changed, same: preview.same, matched: preview.matched })}
      </p>
      {preview.rows.length === 0 ? null : (
        <ul
          aria-label={t("previewRows")}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          className="max-h-72 divide-y overflow-y-auto rounded-md border"
        >
          {preview.rows.map((row) => (
            <li key={row.id} className="grid gap-x-3 gap-y-1 px-2.5 py-1.5 sm:grid-cols-[minmax(7rem,14rem)_1fr]">
              <span dir="auto" className="truncate">
                <span className="text-muted-foreground tabular-nums">#{row.id}</span> {row.name}
              </span>
              <span className="flex min-w-0 flex-wrap items-center gap-1.5">
                {preview.field === null ? (
                  <Mark tone="removed">{t("isDeleted")}</Mark>
                ) : (
                  <Change before={row.before} after={row.after} say={say} isList={isList(preview.field)} />
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
      {hidden > 0 ? <p className="text-muted-foreground">{t("previewMore", { count: hidden })}</p> : null}
      {preview.refused.length === 0 ? null : (
        <div className="rounded-md border border-warning/50 px-2.5 py-2">
          <p className="font-medium">{t("previewRefused", { count: preview.refused.length })}</p>
          <ul
            aria-label={t("previewRefused", { count: preview.refused.length })}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
            tabIndex={0}
            className="max-h-32 overflow-y-auto"
          >
            {preview.refused.map(({ id, name, reason }) => (
              <li
                key={id}
              >{`#${id} ${name}: ${t(`refused.${reason === "bulkNoModelLeft" ? reason : "bulkNoGroupLeft"}`)}`}</li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

const isList = (field: BulkPreview["field"]) => field === "models" || field === "group";

type ChangeProps = { before: Value; after: Value; say: (value: Value) => string; isList: boolean };

/** Lists show only what is added and removed; other values show before and after. */
function Change({ before, after, say, isList: asList }: ChangeProps) {
  if (!asList)
    return (
      <>
        <Mark tone="removed">{say(before)}</Mark>
        <ArrowRight className="size-3 shrink-0 text-muted-foreground" aria-hidden />
        <Mark tone="added">{say(after)}</Mark>
      </>
    );
  const [old, next] = [before, after].map((value) =>
    String(value ?? "")
      .split(",")
      .filter(Boolean),
  );
  const gone = (old ?? []).filter((name) => !next?.includes(name));
  const come = (next ?? []).filter((name) => !old?.includes(name));
  return (
    <>
      {gone.map((name) => (
        <Mark key={name} tone="removed">{`− ${name}`}</Mark>
      ))}
      {come.map((name) => (
        <Mark key={name} tone="added">{`+ ${name}`}</Mark>
      ))}
    </>
  );
}

function Mark({ tone, children }: { tone: "added" | "removed"; children: string }) {
  return (
    <span
      dir="auto"
      className={cn(
        "max-w-full truncate rounded px-1",
        tone === "removed"
          ? "bg-red-100 text-red-900 dark:bg-red-950 dark:text-red-200"
          : "bg-green-100 text-green-900 dark:bg-green-950 dark:text-green-200",
      )}
    >
      {children}
    </span>
  );
}

function useSaidValue(field: BulkPreview["field"]): (value: Value) => string {
  const common = useTranslations("common");
  const statusName = useStatusName();
  return (value) => {
    if (value === null || value === "") return common("none");
    return field === "status" ? statusName(Number(value)) : String(value);
  };
}
