"use client";

import { useTranslations } from "next-intl";
import { formatNumber, formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import type { Coverage, PriceEffect, Reckoned } from "@/lib/pricing/effect/types";
import { percentOf, percentText } from "./change-list";
import { DifferenceTable } from "./difference-table";
import { ChannelShifts, GroupShifts, UnpricedTraffic, UserShifts } from "./shift-tables";

/** What a draft of prices or groups would do. */
export function EffectView({ effect }: { effect: PriceEffect }) {
  const t = useTranslations("priceEffect");
  const { differences, groups, batch, coverage, reckoned } = effect;
  const isOfGroups = groups.some(({ before, after }) => before !== after);
  if (differences.length === 0 && !isOfGroups && !batch && !coverage)
    return <p className="text-muted-foreground">{t("nothing")}</p>;
  return (
    <div className="flex flex-col gap-5">
      {reckoned && coverage ? (
        <Summary reckoned={reckoned} coverage={coverage} />
      ) : (
        <p role="status" className="rounded-md border border-warning/50 p-3">
          {t("tooMuch")}
        </p>
      )}
      {batch ? (
        <p>
          {t("batch")} <del className="text-muted-foreground">{batch.before}</del> <span aria-hidden>→</span>{" "}
          <span className="font-medium">{batch.after}</span>
        </p>
      ) : null}
      {differences.length > 0 ? <DifferenceTable effect={effect} /> : null}
      {reckoned ? (
        <>
          {reckoned.groups.length > 0 ? <GroupShifts reckoned={reckoned} groups={groups} /> : null}
          <UserShifts users={reckoned.users} count={reckoned.usersAffected} />
          <ChannelShifts channels={reckoned.channels} />
          <UnpricedTraffic unpriced={reckoned.unpriced} />
        </>
      ) : null}
    </div>
  );
}

function Summary({ reckoned, coverage }: { reckoned: Reckoned; coverage: Coverage }) {
  const t = useTranslations("priceEffect");
  const display = useQuotaDisplay();
  const percent = percentOf(reckoned.before, reckoned.after);
  const money = (quota: number) => formatQuota(quota, display);
  const facts = [
    { name: t("revenueNow"), value: money(reckoned.before) },
    {
      name: t("revenueThen"),
      value: percent === null ? money(reckoned.after) : `${money(reckoned.after)} (${percentText(percent)})`,
    },
    { name: t("charged"), value: money(reckoned.charged) },
    { name: t("requests"), value: formatNumber(reckoned.requests) },
    { name: t("usersAffected"), value: formatNumber(reckoned.usersAffected) },
  ];
  return (
    <section aria-label={t("summary")}>
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-5">
        {facts.map(({ name, value }) => (
          <div key={name} className="rounded-md border px-3 py-2">
            <dt className="text-muted-foreground text-xs">{name}</dt>
            <dd dir="auto" className="font-medium tabular-nums">
              {value}
            </dd>
          </div>
        ))}
      </dl>
      <p className="mt-2 text-muted-foreground text-xs">
        {reckoned.requests === 0 && reckoned.unpriced.length === 0 ? t("noTraffic") : t("basis")}{" "}
        <CoverageNote coverage={coverage} />
      </p>
    </section>
  );
}

/** Says where not all of the traffic was priced. */
export function CoverageNote({ coverage }: { coverage: Coverage }) {
  const t = useTranslations("priceEffect");
  const { oneOf, read, requests } = coverage;
  if (oneOf > 1) return t("sampled", { oneOf: String(oneOf), read: String(read), requests: String(requests) });
  if (read < requests) return t("partly", { read: String(read), requests: String(requests) });
  return null;
}
