"use client";

import { ArrowRight, AudioLines, FileText, Image, type LucideIcon, Type, Video } from "lucide-react";
import { useTranslations } from "next-intl";
import { formatNumber, tokensText } from "@/components/format/quota";
import type { Modality } from "@/lib/billing/modality";
import type { ModelFacts } from "@/lib/billing/model-facts";

const ICONS: Record<Modality, LucideIcon> = {
  text: Type,
  image: Image,
  audio: AudioLines,
  video: Video,
  file: FileText,
};

/** Context window, longest answer, what a model takes and what it gives; what is unknown is left out. */
export function ModelFactsCell({ facts }: { facts: ModelFacts }) {
  const t = useTranslations("pricing");
  const { contextTokens, maxOutputTokens, input, output } = facts;
  if (!contextTokens && !maxOutputTokens && !input && !output) {
    return <span className="text-muted-foreground">{t("unknown")}</span>;
  }
  return (
    <div className="flex flex-col gap-1 text-xs max-md:items-end">
      <dl className="grid grid-cols-[auto_auto] justify-start gap-x-2">
        <TokensLine name={t("context")} tokens={contextTokens} />
        <TokensLine name={t("maxOutput")} tokens={maxOutputTokens} />
      </dl>
      {input || output ? <Modalities input={input ?? []} output={output ?? []} /> : null}
    </div>
  );
}

/** The same in one line, for a table that has little room. */
export function ModelFactsLine({ facts }: { facts: ModelFacts }) {
  const t = useTranslations("pricing");
  const { contextTokens, maxOutputTokens, input, output } = facts;
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5 font-normal text-muted-foreground text-xs">
      {contextTokens ? <span>{`${t("context")} ${tokensText(contextTokens)}`}</span> : null}
      {maxOutputTokens ? <span>{`${t("maxOutput")} ${tokensText(maxOutputTokens)}`}</span> : null}
      {input || output ? <Modalities input={input ?? []} output={output ?? []} /> : null}
    </span>
  );
}

function TokensLine({ name, tokens }: { name: string; tokens: number | undefined }) {
  if (tokens === undefined) return null;
  return (
    <div className="contents">
      <dt className="whitespace-nowrap text-muted-foreground">{name}</dt>
      <dd dir="auto" className="text-right tabular-nums" title={formatNumber(tokens)}>
        {tokensText(tokens)}
      </dd>
    </div>
  );
}

type ModalitiesProps = { input: readonly Modality[]; output: readonly Modality[] };

function Modalities({ input, output }: ModalitiesProps) {
  const t = useTranslations("pricing");
  const nameOf = useModalityNames();
  const label = [
    ...(input.length > 0 ? [t("takes", { kinds: nameOf(input) })] : []),
    ...(output.length > 0 ? [t("gives", { kinds: nameOf(output) })] : []),
  ].join(" ");
  return (
    <span role="img" aria-label={label} title={label} className="flex items-center gap-1 text-muted-foreground">
      <Icons of={input} />
      {output.length > 0 ? <ArrowRight className="size-3" aria-hidden /> : null}
      <Icons of={output} />
    </span>
  );
}

function Icons({ of }: { of: readonly Modality[] }) {
  return of.map((modality) => {
    const Icon = ICONS[modality];
    return <Icon key={modality} className="size-3.5 shrink-0" aria-hidden />;
  });
}

/** The kinds of content in words. */
export function useModalityNames(): (modalities: readonly Modality[]) => string {
  const t = useTranslations("pricing.modality");
  const common = useTranslations("pricing");
  return (modalities) => modalities.map((modality) => t(modality)).join(common("listComma"));
}
