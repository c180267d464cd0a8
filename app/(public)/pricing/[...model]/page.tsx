import { ArrowLeft } from "lucide-react";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getLocale, getTranslations } from "next-intl/server";
import type { ReactNode } from "react";
import { getSite } from "@/app/site";
import { ChannelStatus } from "@/components/channel/channel-status";
import { CopyButton } from "@/components/form/copy-button";
import { modelOfPath } from "@/components/format/model-href";
import { QuotaDisplayProvider } from "@/components/format/quota-display";
import { ModelFacts } from "@/components/model/model-facts";
import { ModelFigures } from "@/components/model/model-figures";
import { ModelPrices } from "@/components/model/model-prices";
import { CodeSnippets } from "@/components/token/code-snippets";
import { OperationCode } from "@/components/token/operation-code";
import { Link } from "@/components/ui/link";
import { getContext } from "@/lib/auth/session";
import { listChannelTypes } from "@/lib/channel/type-views";
import { AppError } from "@/lib/errors";
import { getModelPage, type ServingChannel } from "@/lib/pricing/model-page-queries";

export async function generateMetadata({ params }: PageProps<"/pricing/[...model]">): Promise<Metadata> {
  return { title: modelOfPath((await params).model) ?? "" };
}

/** One model: what it takes, costs and how it does. As public as the price list. */
export default async function ModelPage({ params }: PageProps<"/pricing/[...model]">) {
  const name = modelOfPath((await params).model);
  if (name === null) notFound();
  const [ctx, site, locale, t] = await Promise.all([
    getContext(),
    getSite(),
    getLocale(),
    getTranslations("modelPage"),
  ]);
  const page = await getModelPage(ctx, name).catch(missing);
  if (!page) notFound();
  const { model, groups, figures, operations, channels, channelCount } = page;
  const typeNames = new Map(listChannelTypes(locale).map((type) => [type.id, type.name]));
  const maker = model.facts.vendor ?? typeNames.get(model.channelTypes[0] ?? 0) ?? "";
  return (
    <QuotaDisplayProvider value={site.quotaDisplay}>
      <div className="mx-auto flex max-w-5xl flex-col gap-4 p-4 md:p-6">
        <header>
          <Link
            href="/pricing"
            className="inline-flex items-center gap-1 rounded text-muted-foreground text-xs hover:underline"
          >
            <ArrowLeft className="size-3.5" aria-hidden />
            {t("allModels")}
          </Link>
          <div className="mt-1 flex items-center gap-2">
            <h1 dir="auto" className="min-w-0 break-all font-mono font-semibold text-lg">
              {name}
            </h1>
            <CopyButton variant="ghost" size="icon" aria-label={t("copyName")} text={name} />
          </div>
          {channelCount === null ? null : (
            <p className="text-muted-foreground text-sm">{t("channelCount", { count: channelCount })}</p>
          )}
        </header>
        <Section title={t("facts")}>
          <ModelFacts facts={model.facts} maker={maker} />
        </Section>
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <Section title={t("prices")}>
            <ModelPrices model={model} groups={groups} />
          </Section>
          <Section title={t("health")}>
            <ModelFigures figures={figures} />
          </Section>
        </div>
        {operations.length === 0 ? null : (
          <Section title={t("code")}>
            {operations.includes("chat") ? (
              <CodeSnippets serverAddress={site.serverAddress} model={name} />
            ) : (
              <OperationCode
                serverAddress={site.serverAddress}
                model={name}
                operations={operations.filter((operation) => operation !== "chat")}
              />
            )}
          </Section>
        )}
        {channels ? <Channels channels={channels} typeNames={typeNames} /> : null}
      </div>
    </QuotaDisplayProvider>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="min-w-0 rounded-lg border bg-surface">
      <h2 dir="auto" className="border-b px-4 py-2.5 font-medium">
        {title}
      </h2>
      <div className="px-4 py-3">{children}</div>
    </section>
  );
}

type ChannelsProps = { channels: ServingChannel[]; typeNames: ReadonlyMap<number, string> };

async function Channels({ channels, typeNames }: ChannelsProps) {
  const t = await getTranslations("modelPage");
  return (
    <Section title={t("channels")}>
      <ul className="divide-y text-sm">
        {channels.map(({ id, name, type, status }) => (
          <li key={id} className="flex flex-wrap items-center gap-2 py-1.5">
            <span className="text-muted-foreground tabular-nums">#{id}</span>
            <Link href={`/channel/${id}`} className="min-w-0 truncate font-medium hover:underline">
              {name}
            </Link>
            <span className="text-muted-foreground">{typeNames.get(type)}</span>
            <span className="ml-auto">
              <ChannelStatus status={status} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function missing(error: unknown): null {
  if (error instanceof AppError && error.code === "not_found") return null;
  throw error;
}
