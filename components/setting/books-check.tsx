import { CircleCheck, TriangleAlert } from "lucide-react";
import { getTranslations } from "next-intl/server";
import { Time } from "@/components/format/time";
import { Badge } from "@/components/ui/badge";
import type { BooksCheck as Check } from "@/lib/books/check-books-queries";

/** The last nightly check of the books: when it ran, how much it compared, and what differs. */
export async function BooksCheck({ check }: { check: Check | null }) {
  const t = await getTranslations("books");
  return (
    <section id="books" aria-labelledby="books-title" className="mt-4 rounded-lg border bg-surface px-5 py-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 dir="auto" id="books-title" className="font-semibold">
          {t("title")}
        </h2>
        {check ? <Verdict count={check.differenceCount} /> : <Badge>{t("never")}</Badge>}
      </div>
      <p className="mt-0.5 text-muted-foreground text-pretty text-xs">{t("text")}</p>
      {check ? <Result check={check} /> : null}
    </section>
  );
}

async function Verdict({ count }: { count: number }) {
  const t = await getTranslations("books");
  const Icon = count === 0 ? CircleCheck : TriangleAlert;
  return (
    <Badge hue={count === 0 ? "green" : "red"}>
      <Icon aria-hidden />
      {count === 0 ? t("agree") : t("differ", { count })}
    </Badge>
  );
}

async function Result({ check }: { check: Check }) {
  const t = await getTranslations("books");
  const rows = Object.values(check.checked).reduce((sum, count) => sum + count, 0);
  return (
    <>
      <p className="mt-3 text-xs">
        {t.rich("ran", {
          time: () => <Time seconds={check.startedAt} />,
          rows: rows.toLocaleString("en"),
          seconds: String(Math.max(0, check.finishedAt - check.startedAt)),
        })}
      </p>
      {check.differences.length > 0 ? <Differences check={check} /> : null}
    </>
  );
}

/** The sums by hour name the hour in place of a row. */
const isByHour = (check: string): boolean => check === "usage_logs.quota";

async function Differences({ check }: { check: Check }) {
  const t = await getTranslations("books");
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section aria-label={t("differences")} tabIndex={0} className="mt-3 max-h-72 overflow-auto">
      <table className="w-full min-w-lg text-left text-xs">
        <thead className="text-muted-foreground">
          <tr>
            {(["check", "id", "stored", "computed", "detail"] as const).map((name) => (
              <th key={name} scope="col" className="py-1 pr-4 font-normal">
                {t(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {check.differences.map((row) => (
            <tr key={`${row.check}:${row.id}:${row.detail ?? ""}`} className="border-t">
              <td dir="auto" className="py-1 pr-4 font-mono">
                {row.check}
              </td>
              <td dir="auto" className="py-1 pr-4 tabular-nums">
                {isByHour(row.check) ? <Time seconds={row.id} /> : row.id}
              </td>
              <td dir="auto" className="py-1 pr-4 tabular-nums">
                {row.stored}
              </td>
              <td dir="auto" className="py-1 pr-4 tabular-nums">
                {row.computed}
              </td>
              <td dir="auto" className="py-1 pr-4">
                {row.detail ?? ""}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
