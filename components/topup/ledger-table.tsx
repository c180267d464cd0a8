import { getTranslations } from "next-intl/server";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { Converted } from "@/components/format/converted";
import { formatQuota, type QuotaDisplay } from "@/components/format/quota";
import { Time } from "@/components/format/time";
import { Badge, type Hue } from "@/components/ui/badge";
import { cn } from "@/components/ui/class-names";
import type { StatementLine, StatementSums } from "@/lib/topup/types";
import { dayOf, type MovementKind, namedIn, toMovementKind } from "./ledger-kind";

/** Enough decimals for the amounts of a statement to add up. */
const DIGITS = 6;

const HUES: Record<MovementKind, Hue> = {
  topup: "green",
  redemption: "cyan",
  grant: "blue",
  adjustment: "purple",
  invitation: "lime",
  transfer: "teal",
  refund: "yellow",
  reversal: "red",
  consumption: "orange",
};

/** Shows how the balance results: received − used = balance. */
export async function LedgerSums({ sums, display }: { sums: Promise<StatementSums>; display: QuotaDisplay }) {
  const [{ received, used, balance }, t] = await Promise.all([sums, getTranslations("topup")]);
  const parts = [
    { name: t("received"), value: received, sign: "" },
    { name: t("used"), value: used, sign: "−" },
    { name: t("balance"), value: balance, sign: "=" },
  ];
  return (
    <div className="border-b px-4 py-3">
      <dl className="flex flex-wrap items-end gap-x-4 gap-y-2" data-testid="statement-sums">
        {parts.map(({ name, value, sign }) => (
          <div key={name}>
            <dt className="text-muted-foreground text-xs">{name}</dt>
            <dd dir="auto" className="font-medium tabular-nums">
              {sign ? (
                <span aria-hidden className="mr-2 text-muted-foreground">
                  {sign}
                </span>
              ) : null}
              {formatQuota(value, display, DIGITS)} <Converted quota={value} display={display} />
            </dd>
          </div>
        ))}
      </dl>
      <p className="mt-2 text-muted-foreground text-xs">{t("ledgerHint")}</p>
    </div>
  );
}

type LedgerTableProps = { rows: StatementLine[]; display: QuotaDisplay; timeZone: string };

export async function LedgerTable({ rows, display, timeZone }: LedgerTableProps) {
  const t = await getTranslations("topup");
  const columns = await ledgerColumns(display, timeZone);
  return <DataTable caption={t("tabLedger")} columns={columns} rows={rows} rowKey={(line) => line.id} />;
}

async function ledgerColumns(display: QuotaDisplay, timeZone: string): Promise<Column<StatementLine>[]> {
  const t = await getTranslations("topup");
  return [
    {
      id: "time",
      header: t("time"),
      heading: true,
      cell: (line) =>
        line.kind === "consumption" ? (
          <span className="whitespace-nowrap tabular-nums">{dayOf(line.at, timeZone)}</span>
        ) : (
          <Time seconds={line.at} />
        ),
    },
    { id: "kind", header: t("kind"), cell: (line) => <KindBadge kind={line.kind} /> },
    {
      id: "explanation",
      header: t("explanation"),
      className: "md:max-w-96",
      cell: (line) => <Explanation line={line} />,
    },
    {
      id: "amount",
      header: t("movement"),
      align: "right",
      cell: (line) => (
        <span className={cn("whitespace-nowrap", line.amount > 0 && "text-success")}>
          {`${line.amount > 0 ? "+" : ""}${formatQuota(line.amount, display, DIGITS)}`}
        </span>
      ),
    },
    {
      id: "balance",
      header: t("balanceAfter"),
      align: "right",
      cell: (line) => <span className="whitespace-nowrap">{formatQuota(line.balance, display, DIGITS)}</span>,
    },
  ];
}

async function KindBadge({ kind }: { kind: string }) {
  const t = await getTranslations("topup");
  const known = toMovementKind(kind);
  return known ? <Badge hue={HUES[known]}>{t(`kinds.${known}`)}</Badge> : <Badge>{kind}</Badge>;
}

async function Explanation({ line }: { line: StatementLine }) {
  const t = await getTranslations("topup");
  const known = toMovementKind(line.kind);
  if (!known) return line.note || "—";
  const text =
    known === "consumption"
      ? t("explain.consumption", { count: line.count })
      : t(`explain.${known}`, { name: namedIn(line) });
  return (
    <span className="flex flex-col max-md:items-end">
      <span className="break-words">{text}</span>
      {line.note ? <span className="break-words text-muted-foreground text-xs">{line.note}</span> : null}
    </span>
  );
}
