"use client";

import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { CopyButton } from "@/components/form/copy-button";
import { GroupBadge } from "@/components/format/group-badge";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Time, useInBrowser } from "@/components/format/time";
import { Link } from "@/components/ui/link";
import { DETAIL_FIELDS, type UsageLog } from "@/lib/usage-log/columns";
import { readAffinity } from "./affinity";
import { readActualModel, readAttempts } from "./bill";
import { readRowCost, useCostText } from "./log-costs";
import { useLogText } from "./log-event";
import { readRelayNotes } from "./relay-notes";

/** Units of a time span (B309): seconds, minutes, hours, days, months (30 days) and years (365 days). */
export type TimeUnit = "s" | "m" | "h" | "d" | "M" | "y";

const SECONDS: readonly [TimeUnit, number][] = [
  ["y", 365 * 86_400],
  ["M", 30 * 86_400],
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
];

/** A time span in its largest unit, rounded down; below a second it is 0 s. */
export function toLargestUnit(seconds: number): { value: number; unit: TimeUnit } {
  const [unit, size] = SECONDS.find(([, length]) => seconds >= length) ?? (["s", 1] as const);
  return { value: Math.max(0, Math.floor(seconds / size)), unit };
}

type Fact = { label: string; value: ReactNode };

/** The details of a row besides its charge, in the order of console §2.19. */
export function LogFacts({ row }: { row: UsageLog }) {
  const t = useTranslations("log");
  const text = useLogText()(row);
  const tokens = useTokenFacts(row);
  const costs = useCostFacts(row);
  const affinity = useAffinityText(row);
  const notes = useRelayFacts(row);
  const actualModel = readActualModel(row.other);
  const { reasoning_effort: effort, status_code: status, requested_model: asked } = row.other;
  const tried = readAttempts(row.other);
  const facts: Fact[] = [
    { label: t("time"), value: <When seconds={row.createdAt} /> },
    ...(row.channelId > 0 ? [{ label: t("channelInfo"), value: <ChannelLink row={row} /> }] : []),
    ...fact(t("token"), row.tokenName),
    ...fact(t("retry"), tried.length > 1 ? tried.join(" -> ") : ""),
    ...tokens,
    ...costs,
    ...fact(t("affinity"), affinity),
    ...fact(t("requestedModel"), typeof asked === "string" ? asked : actualModel ? row.modelName : ""),
    ...fact(t("actualModel"), actualModel ?? ""),
    ...fact(t("reasoningEffort"), typeof effort === "string" ? effort : ""),
    ...fact(t("statusCode"), typeof status === "number" ? String(status) : ""),
    ...notes,
    ...(row.group ? [{ label: t("group"), value: <GroupBadge group={row.group} /> }] : []),
    ...(row.requestId ? [{ label: t("requestId"), value: <RequestId id={row.requestId} /> }] : []),
    ...DETAIL_FIELDS.flatMap((field) => fact(t(field), String(row[field] ?? ""))),
    {
      label: t("content"),
      value: (
        <span dir="auto" className="whitespace-pre-line">
          {text || t("noContent")}
        </span>
      ),
    },
  ];
  return (
    <dl className="grid min-w-0 grid-cols-[auto_1fr] items-center gap-x-4 gap-y-1.5 self-start text-left">
      {facts.map(({ label, value }) => (
        <div key={label} className="contents">
          <dt className="whitespace-nowrap text-muted-foreground text-xs">{label}</dt>
          <dd dir="auto" className="min-w-0 break-words">
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function useTokenFacts({ other }: UsageLog): Fact[] {
  const t = useTranslations("log");
  const count = (key: string): string => {
    const value = other[key];
    return typeof value === "number" && value > 0 ? value.toLocaleString("en-US") : "";
  };
  const isAudio = other.audio === true || other.ws === true;
  return [
    ...(isAudio
      ? [
          ...fact(t("audioInput"), count("audio_input") || "0"),
          ...fact(t("audioOutput"), count("audio_output") || "0"),
          ...fact(t("textInput"), count("text_input") || "0"),
          ...fact(t("textOutput"), count("text_output") || "0"),
        ]
      : []),
    ...fact(t("cacheTokens"), count("cache_tokens")),
    ...fact(t("cacheWriteTokens"), count("cache_creation_tokens")),
  ];
}

/** What the request cost upstream, and by which price (administrators only). */
function useCostFacts(row: UsageLog): Fact[] {
  const t = useTranslations("log");
  const text = useCostText();
  const display = useQuotaDisplay();
  const cost = readRowCost(row);
  if (!cost) return [];
  const info = row.other.admin_info as { cost?: { model?: unknown; factor?: unknown } } | undefined;
  const { model, factor } = info?.cost ?? { model: row.modelName, factor: 1 };
  const basis =
    typeof factor === "number"
      ? t("costByFactor", { factor: String(factor), model: String(model) })
      : t("costByPrice", { model: String(model) });
  return [
    ...fact(t("bought"), `${text(cost)} · ${basis}`),
    ...fact(t("margin"), cost.margin === null ? "" : formatQuota(cost.margin, display, 6)),
    ...fact(t("unbilled"), cost.unbilled > 0 ? formatQuota(cost.unbilled, display, 6) : ""),
  ];
}

/** Whether the conversation stayed where its prompt is cached, and what that saved; "" = nothing is known of it. */
function useAffinityText(row: UsageLog): string {
  const t = useTranslations("log");
  const display = useQuotaDisplay();
  const affinity = readAffinity(row);
  if (!affinity) return "";
  const { by, isHit, cachedTokens, billed, saved, costSaved, chance } = affinity;
  if (!isHit) return t("affinityMoved", { by });
  const money = (quota: number): string => formatQuota(quota, display, 6);
  const tokens = cachedTokens.toLocaleString("en-US");
  return [
    t("affinityKept", { by }),
    ...(saved === null ? [] : [t("affinitySaved", { tokens, billed: money(billed), saved: money(saved) })]),
    ...(costSaved === null ? [] : [t("affinityCostSaved", { saved: money(costSaved) })]),
    ...(chance === null ? [] : [t("affinityChance", { chance: String(chance) })]),
  ].join(" · ");
}

/** What became of the upstream's answer besides the charge (administrators only). */
function useRelayFacts(row: UsageLog): Fact[] {
  const t = useTranslations("log");
  const { badEvents, drained } = readRelayNotes(row);
  const facts = fact(t("badEvents"), badEvents > 0 ? t("badEventsDropped", { count: badEvents }) : "");
  if (!drained) return facts;
  const read = { seconds: (drained.ms / 1_000).toFixed(1), count: drained.tokens };
  return [...facts, ...fact(t("drained"), drained.isWhole ? t("drainedWhole", read) : t("drainedPart", read))];
}

/** [] for an empty value, so that the line is left out. */
function fact(label: string, value: string): Fact[] {
  return value === "" ? [] : [{ label, value }];
}

/** The timestamp and how long ago it was. */
function When({ seconds }: { seconds: number }) {
  const t = useTranslations("log");
  const inBrowser = useInBrowser();
  const { value, unit } = toLargestUnit(inBrowser ? Date.now() / 1000 - seconds : 0);
  return (
    <>
      <Time seconds={seconds} />
      {inBrowser ? (
        <span className="ml-2 text-muted-foreground text-xs">
          {t("ago", { span: t(`unit_${unit}`, { value: String(value) }) })}
        </span>
      ) : null}
    </>
  );
}

/** Only administrators receive a channel, and only they can open its page. */
function ChannelLink({ row }: { row: UsageLog }) {
  return (
    <Link href={`/channel/${row.channelId}`} className="rounded text-primary hover:underline">
      {`#${row.channelId} ${row.channelName}`.trim()}
    </Link>
  );
}

function RequestId({ id }: { id: string }) {
  const common = useTranslations("common");
  return (
    <span className="flex min-w-0 items-center gap-1">
      <code dir="auto" className="break-all font-mono text-xs">
        {id}
      </code>
      <CopyButton
        variant="ghost"
        size="icon"
        className="size-6 text-muted-foreground"
        aria-label={common("copy")}
        text={id}
      />
    </span>
  );
}
