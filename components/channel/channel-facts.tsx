import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { splitList } from "@/components/form/split-list";
import { GroupBadge } from "@/components/format/group-badge";
import { ModelChip } from "@/components/format/model-chip";
import { Time } from "@/components/format/time";
import type { Channel } from "@/lib/channel/types";
import { Balance, UsedQuota } from "./balance-cell";
import { LastTest } from "./last-test";

const MODELS_SHOWN = 12;

/** The channel's configuration, read-only. */
export function ChannelFacts({ channel }: { channel: Channel }) {
  const t = useTranslations("channel");
  const facts: { label: string; value: ReactNode }[] = [
    { label: t("used"), value: <UsedQuota quota={channel.usedQuota} /> },
    {
      label: t("balance"),
      value: channel.balanceUpdatedTime > 0 ? <Balance amount={channel.balance} /> : "—",
    },
    { label: `${t("priority")} / ${t("weight")}`, value: `${channel.priority} / ${channel.weight}` },
    {
      label: useTranslations("channelTraffic")("lastTest"),
      value: <LastTest channel={channel} />,
    },
    { label: t("groups"), value: <Groups groups={splitList(channel.group)} /> },
    { label: t("createdTime"), value: channel.createdTime > 0 ? <Time seconds={channel.createdTime} /> : "—" },
    {
      label: t("baseUrl"),
      value: (
        <span dir="auto" data-user-text>
          {channel.baseUrl || t("officialAddress")}
        </span>
      ),
    },
    { label: t("defaultTestModel"), value: channel.testModel || "—" },
  ];
  return (
    <section aria-label={t("facts")} className="rounded-lg border bg-surface">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 px-4 py-3 lg:grid-cols-4">
        {facts.map(({ label, value }) => (
          <div key={label} className="min-w-0">
            <dt className="text-muted-foreground text-xs">{label}</dt>
            <dd dir="auto" className="mt-0.5 break-words tabular-nums">
              {value}
            </dd>
          </div>
        ))}
      </dl>
      <Models models={splitList(channel.models)} />
    </section>
  );
}

function Groups({ groups }: { groups: string[] }) {
  return (
    <span className="flex flex-wrap gap-1">
      {groups.map((group) => (
        <GroupBadge key={group} group={group} />
      ))}
    </span>
  );
}

function Models({ models }: { models: string[] }) {
  const t = useTranslations("channel");
  const names = (list: string[]) => (
    <span className="flex flex-wrap gap-1">
      {list.map((model) => (
        <ModelChip key={model} model={model} className="font-mono font-normal" />
      ))}
    </span>
  );
  const rest = models.slice(MODELS_SHOWN);
  return (
    <div className="border-t px-4 py-3">
      <h2 dir="auto" className="mb-1.5 text-muted-foreground text-xs">
        {t("modelCount", { count: models.length })}
      </h2>
      {names(models.slice(0, MODELS_SHOWN))}
      {rest.length === 0 ? null : (
        <details className="mt-1.5 text-xs">
          <summary className="cursor-pointer text-muted-foreground">{t("moreModels", { count: rest.length })}</summary>
          <div className="mt-1.5">{names(rest)}</div>
        </details>
      )}
    </div>
  );
}
