import { Network, ReceiptText, Route } from "lucide-react";
import { getLocale, getTranslations } from "next-intl/server";
import { Suspense } from "react";
import { getSite } from "@/app/site";
import { CopyButton } from "@/components/form/copy-button";
import { PriceTeaser } from "@/components/home/price-teaser";
import { HomeNotice } from "@/components/shell/home-notice";
import { OperatorPage } from "@/components/shell/operator-page";
import { OperatorText } from "@/components/shell/operator-text";
import { Texts } from "@/components/shell/texts";
import { Button } from "@/components/ui/button";
import { CodeBlock } from "@/components/ui/code-block";
import { Link } from "@/components/ui/link";
import { getContext } from "@/lib/auth/session";
import { listChannelTypes } from "@/lib/channel/type-views";
import type { ServiceContext } from "@/lib/context";
import { listPrices } from "@/lib/pricing/queries";
import { getContent } from "@/lib/status/queries";

export default async function HomePage() {
  const ctx = await getContext();
  const [content, notice, t] = await Promise.all([
    getContent(ctx, "HomePageContent"),
    getContent(ctx, "Notice"),
    getTranslations("home"),
  ]);
  return (
    <>
      {content.trim() === "" ? <Landing ctx={ctx} /> : null}
      {content.trim() === "" ? null : (
        <>
          <h1 dir="auto" className="sr-only">
            {t("contentTitle")}
          </h1>
          <OperatorPage text={content} title={t("contentTitle")} />
        </>
      )}
      {notice.trim() === "" ? null : (
        <Texts of={["notify.centre"]}>
          <HomeNotice text={notice}>
            <OperatorText text={notice} />
          </HomeNotice>
        </Texts>
      )}
    </>
  );
}

/** Shown while HomePageContent is empty. */
async function Landing({ ctx }: { ctx: ServiceContext }) {
  const signedIn = ctx.actor.type === "user";
  const [{ serverAddress }, t] = await Promise.all([getSite(), getTranslations("home")]);
  const baseUrl = `${serverAddress}/v1`;
  const call = [
    `curl ${baseUrl}/chat/completions \\`,
    '  -H "Authorization: Bearer $WEIR_TOKEN" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"Hello"}]}'`,
  ].join("\n");
  const features = [
    { icon: Network, title: t("f1"), text: t("f1Text") },
    { icon: Route, title: t("f2"), text: t("f2Text") },
    { icon: ReceiptText, title: t("f3"), text: t("f3Text") },
  ];
  return (
    <div className="mx-auto flex max-w-5xl flex-col gap-10 px-5 py-12 sm:py-20">
      <section className="max-w-2xl">
        <h1 dir="auto" className="text-balance font-semibold text-3xl tracking-tight sm:text-4xl">
          {t("title")}
        </h1>
        <p className="mt-3 text-pretty text-base text-muted-foreground leading-relaxed">{t("lead")}</p>
        <Button asChild variant="primary" size="md" className="mt-6 h-10 px-5">
          <Link href={signedIn ? "/token" : "/login"}>{signedIn ? t("open") : t("signIn")}</Link>
        </Button>
      </section>
      <section className="overflow-hidden rounded-lg border bg-surface">
        <div className="flex items-center gap-3 border-b px-4 py-2.5">
          <h2 dir="auto" className="shrink-0 text-muted-foreground">
            {t("baseUrl")}
          </h2>
          <code className="min-w-0 flex-1 break-all font-mono">{baseUrl}</code>
          <CopyButton variant="ghost" size="icon" aria-label={t("copyUrl")} text={baseUrl} />
        </div>
        <div className="px-4 py-3">
          <div className="flex items-center justify-between gap-3">
            <h2 dir="auto" className="font-medium">
              {t("firstCall")}
            </h2>
            <CopyButton variant="ghost" size="icon" aria-label={t("copyCall")} text={call} />
          </div>
          <CodeBlock className="mt-1.5">{call}</CodeBlock>
          <p className="mt-2 text-muted-foreground text-xs">{t("firstCallHint", { variable: "$WEIR_TOKEN" })}</p>
        </div>
      </section>
      <Suspense>
        <Teaser ctx={ctx} />
      </Suspense>
      <ul className="grid gap-6 sm:grid-cols-3">
        {features.map((feature) => (
          <li key={feature.title}>
            <feature.icon className="size-5 text-primary" aria-hidden />
            <h2 dir="auto" className="mt-2 font-medium">
              {feature.title}
            </h2>
            <p className="mt-0.5 text-muted-foreground">{feature.text}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Streamed after the rest, because the price list of a large site takes a moment. */
async function Teaser({ ctx }: { ctx: ServiceContext }) {
  const [prices, { quotaDisplay }, locale] = await Promise.all([listPrices(ctx), getSite(), getLocale()]);
  const vendorNames = new Map(listChannelTypes(locale).map(({ id, name }) => [id, name]));
  return <PriceTeaser prices={prices} vendorNames={vendorNames} display={quotaDisplay} />;
}
