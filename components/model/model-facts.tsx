import { getTranslations } from "next-intl/server";
import { tokensText } from "@/components/format/quota";
import type { ModelFacts as Facts } from "@/lib/billing/model-facts";

/** Context, longest answer and modalities; what is not known says so. */
export async function ModelFacts({ facts, maker }: { facts: Facts; maker: string }) {
  const [t, pricing] = await Promise.all([getTranslations("modelPage"), getTranslations("pricing")]);
  const kinds = (list: Facts["input"]) =>
    list?.map((kind) => pricing(`modality.${kind}`)).join(pricing("listComma")) || pricing("unknown");
  const tokens = (count: number | undefined) =>
    count ? t("tokens", { count: tokensText(count) }) : pricing("unknown");
  const rows = [
    { label: pricing("vendor"), value: maker || pricing("unknown") },
    { label: pricing("context"), value: tokens(facts.contextTokens) },
    { label: pricing("maxOutput"), value: tokens(facts.maxOutputTokens) },
    { label: pricing("inputKinds"), value: kinds(facts.input) },
    { label: pricing("outputKinds"), value: kinds(facts.output) },
  ];
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-3 lg:grid-cols-5">
      {rows.map(({ label, value }) => (
        <div key={label} className="min-w-0">
          <dt className="text-muted-foreground text-xs">{label}</dt>
          <dd dir="auto" className="mt-0.5 break-words">
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}
