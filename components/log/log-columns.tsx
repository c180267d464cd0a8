"use client";

import { ArrowRight, ChevronRight } from "lucide-react";
import { useTranslations } from "next-intl";
import type { Column } from "@/components/data-table/column";
import { useCopy } from "@/components/form/copy-button";
import { ChannelChip } from "@/components/format/channel-chip";
import { GroupBadge } from "@/components/format/group-badge";
import { ModelChip } from "@/components/format/model-chip";
import { formatDecimal, formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Time } from "@/components/format/time";
import { Avatar } from "@/components/shell/avatar";
import { Badge, badgeVariants, type Hue, hueOf } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { LOG_TYPE } from "@/lib/row-status";
import type { UsageLog } from "@/lib/usage-log/columns";
import { creditOf } from "@/lib/usage-log/event-values";
import { readActualModel, readAttempts } from "./bill";
import { Bought, Margin } from "./log-costs";
import { useLogText } from "./log-event";
import { peekKey } from "./log-search";
import { LogTiming } from "./log-timing";
import { pricePerMillion, readPriceSteps } from "./price-steps";

/** A name as a badge; a click copies it. */
function CopyBadge({ text, hue, className }: { text: string; hue: Hue; className?: string }) {
  const t = useTranslations("log");
  const copy = useCopy();
  return (
    <button
      type="button"
      title={t("copyName", { name: text })}
      aria-label={t("copyName", { name: text })}
      onClick={() => copy(text)}
      className={cn(badgeVariants({ hue }), "cursor-pointer hover:underline", className)}
    >
      <span dir="auto" className="truncate">
        {text}
      </span>
    </button>
  );
}

/** What a row cost, or what it added to the balance: that is no cost, and looks and reads like none. */
function AmountCell({ row }: { row: Pick<UsageLog, "type" | "quota" | "other"> }) {
  const t = useTranslations("log");
  const common = useTranslations("common");
  const display = useQuotaDisplay();
  const credit = creditOf(row);
  if (credit !== null)
    return (
      <span className={credit > 0 ? "text-success" : ""}>
        <span className="whitespace-nowrap">{`${credit > 0 ? "+" : ""}${formatQuota(credit, display)}`}</span>{" "}
        <span className="whitespace-nowrap font-normal text-xs">{credit > 0 ? t("credit") : t("debit")}</span>
      </span>
    );
  if (row.quota === 0 && row.type !== LOG_TYPE.consume) return common("none");
  return formatQuota(row.quota, display, 6);
}

const NOTHING = "—";

type LogColumns = {
  isAdmin: boolean;
  opened: ReadonlySet<number>;
  onOpen: (row: UsageLog) => void;
  onUser: (user: { id: number; username: string }) => void;
};

/** The log columns in the required order; channel, user and retry are for administrators (B102, B207). */
export function useLogColumns({ isAdmin, opened, onOpen, onUser }: LogColumns): Column<UsageLog>[] {
  const t = useTranslations("log");
  const isCall = (row: UsageLog) => row.type === LOG_TYPE.consume || row.type === LOG_TYPE.error;
  const time: Column<UsageLog> = {
    id: "time",
    header: t("time"),
    heading: true,
    phone: "first",
    cell: (row) => (
      <span className="flex items-center gap-1.5">
        <ExpandButton row={row} open={opened.has(row.id)} onOpen={onOpen} />
        <Time seconds={row.createdAt} />
      </span>
    ),
  };
  const amounts = useAmountColumns();
  const middle: Column<UsageLog>[] = [
    {
      id: "token",
      header: t("token"),
      cell: (row) =>
        row.tokenName ? <CopyBadge text={row.tokenName} hue="grey" className="md:max-w-24 2xl:max-w-32" /> : NOTHING,
    },
    {
      id: "group",
      header: t("group"),
      from: "full",
      tableOnly: true,
      cell: (row) => (row.group ? <GroupBadge group={row.group} /> : NOTHING),
    },
    { id: "type", header: t("type"), phone: "second", cell: (row) => <LogType type={row.type} /> },
    { id: "model", header: t("model"), phone: "second", cell: (row) => <ModelTag row={row} /> },
    { id: "useTime", header: t("useTime"), cell: (row) => (isCall(row) ? <LogTiming {...row} /> : NOTHING) },
  ];
  const details: Column<UsageLog> = {
    id: "details",
    header: t("details"),
    from: "full",
    tableOnly: true,
    className: "md:max-w-64",
    cell: (row) => <Details row={row} />,
  };
  if (!isAdmin) return [time, ...middle, ...amounts, details];
  const channel: Column<UsageLog> = {
    id: "channel",
    header: t("channel"),
    cell: (row) => (row.channelId > 0 ? <ChannelChip id={row.channelId} name={row.channelName} /> : NOTHING),
  };
  const user: Column<UsageLog> = {
    id: "user",
    phone: "secondEnd",
    header: t("user"),
    cell: (row) => (row.username ? <UserButton row={row} onUser={onUser} /> : NOTHING),
  };
  const retry: Column<UsageLog> = {
    id: "retry",
    header: t("retry"),
    from: "wide",
    tableOnly: true,
    cell: (row) => <RetryChain row={row} />,
  };
  const costs: Column<UsageLog>[] = [
    { id: "bought", header: t("bought"), align: "right", from: "full", cell: (row) => <Bought row={row} /> },
    { id: "margin", header: t("margin"), align: "right", from: "full", cell: (row) => <Margin row={row} /> },
  ];
  return [time, channel, user, ...middle, ...amounts, ...costs, retry, details];
}

function useAmountColumns(): Column<UsageLog>[] {
  const t = useTranslations("log");
  return [
    {
      id: "prompt",
      header: t("prompt"),
      align: "right",
      cell: (row) => (row.promptTokens > 0 ? row.promptTokens : NOTHING),
    },
    {
      id: "completion",
      header: t("completion"),
      align: "right",
      cell: (row) => (row.completionTokens > 0 ? row.completionTokens : NOTHING),
    },
    {
      id: "cost",
      header: t("cost"),
      phone: "firstEnd",
      align: "right",
      className: "font-medium",
      cell: (row) => <AmountCell row={row} />,
    },
  ];
}

type ExpandButtonProps = { row: UsageLog; open: boolean; onOpen: (row: UsageLog) => void };

function ExpandButton({ row, open, onOpen }: ExpandButtonProps) {
  const t = useTranslations("log");
  const model = row.modelName || String(row.id);
  return (
    <Button
      id={`log-${peekKey(row)}`}
      variant="ghost"
      size="icon"
      className="size-7 text-muted-foreground"
      aria-expanded={open}
      aria-label={open ? t("collapse", { model }) : t("expand", { model })}
      onClick={() => onOpen(row)}
    >
      <ChevronRight className={cn("transition-transform", open && "rotate-90")} />
    </Button>
  );
}

function UserButton({ row, onUser }: { row: UsageLog; onUser: LogColumns["onUser"] }) {
  const t = useTranslations("log");
  return (
    <button
      type="button"
      aria-label={t("showUser", { name: row.username })}
      onClick={() => onUser({ id: row.userId, username: row.username })}
      className="flex max-w-full items-center gap-1.5 rounded hover:underline md:max-w-26 2xl:max-w-32"
    >
      <span className="max-[1840px]:md:hidden">
        <Avatar name={row.username} hue={hueOf(row.username)} />
      </span>
      <span dir="auto" className="truncate">
        {row.username}
      </span>
    </button>
  );
}

function ModelTag({ row }: { row: UsageLog }) {
  const t = useTranslations("log");
  const actual = readActualModel(row.other);
  if (!row.modelName) return NOTHING;
  return (
    <span className="inline-flex min-w-0 max-w-full items-center gap-1">
      <ModelChip model={row.modelName} className="md:max-w-32 2xl:max-w-44" />
      {actual ? (
        <span title={t("mappedTo", { model: actual })}>
          <ArrowRight className="size-3.5 text-muted-foreground" aria-hidden />
          <span className="sr-only">{t("mappedTo", { model: actual })}</span>
        </span>
      ) : null}
    </span>
  );
}

/** The ids of the attempted channels, in order (B103). */
function RetryChain({ row }: { row: UsageLog }) {
  const channels = readAttempts(row.other);
  if (channels.length === 0) return NOTHING;
  return <span className="whitespace-nowrap tabular-nums">{channels.join("->")}</span>;
}

/** The prices of consumption rows, otherwise the text of the row; at most two lines. */
function Details({ row }: { row: UsageLog }) {
  const t = useTranslations("log");
  const display = useQuotaDisplay();
  const text = useLogText()(row);
  const prices = row.type === LOG_TYPE.consume ? readPriceSteps(row.other, display.quotaPerUnit) : null;
  const money = (value: number) => `${display.symbol}${formatDecimal(value)}`;
  if (prices?.mode === "call")
    return <Clamped>{t("bill.perCall", { price: money(prices.price * prices.group) })}</Clamped>;
  if (!prices) return <Clamped>{text || NOTHING}</Clamped>;
  const price = (kind: string) => {
    const step = prices.steps.find((candidate) => candidate.kind === kind);
    return step ? money(pricePerMillion(step.product, prices.quotaPerUnit)) : NOTHING;
  };
  return <Clamped>{t("priceShort", { prompt: price("prompt"), completion: price("completion") })}</Clamped>;
}

function Clamped({ children }: { children: string }) {
  return (
    <span className="line-clamp-2 text-muted-foreground text-xs" title={children}>
      {children}
    </span>
  );
}

const HUES: Record<number, Hue> = { 1: "cyan", 2: "lime", 3: "orange", 4: "purple", 5: "red" };

export function LogType({ type }: { type: number }) {
  const t = useTranslations("log");
  const names: Record<number, string> = { 1: t("type1"), 2: t("type2"), 3: t("type3"), 4: t("type4"), 5: t("type5") };
  return <Badge hue={HUES[type] ?? "grey"}>{names[type] ?? t("typeUnknown")}</Badge>;
}
