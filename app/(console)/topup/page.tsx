import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import type { ReactNode } from "react";
import { Suspense } from "react";
import { getSite } from "@/app/site";
import { ListHeader } from "@/components/data-table/list-parts";
import { ListTransition } from "@/components/data-table/list-transition";
import { Converted } from "@/components/format/converted";
import { formatQuota } from "@/components/format/quota";
import { OnlineForm } from "@/components/topup/online-form";
import { PaidNotice } from "@/components/topup/paid-notice";
import { RedeemForm } from "@/components/topup/redeem-form";
import type { WalletTab } from "@/components/topup/topup-search";
import { WalletTabs } from "@/components/topup/wallet-tabs";
import { Badge } from "@/components/ui/badge";
import { ROLE, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { quoteTopUp } from "@/lib/topup/commands";
import { readOwnOrder, readTopUpOffer } from "@/lib/topup/offer-queries";
import { getSelf } from "@/lib/user/queries";
import { NoAccess } from "../no-access";
import { getSignedIn } from "../signed-in";
import { CallbackPart, LedgerPart, OrderPart } from "./parts";
import { loadWalletSearch } from "./search-params";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("topup"))("title") };
}

/** Top-up, orders and statement. Administrators also see everybody's orders, root the payment callbacks. */
export default async function WalletPage({ searchParams }: PageProps<"/topup">) {
  const [ctx, search, t] = await Promise.all([getSignedIn(), loadWalletSearch(searchParams), getTranslations("topup")]);
  const { role } = ctx.actor;
  const needed = leastRole(search.tab);
  if (role < needed) return <NoAccess own={role} needed={needed} />;
  return (
    <ListTransition>
      <ListHeader title={t("title")} lead={t("lead")} />
      <WalletTabs tabs={tabsOf(role)} current={search.tab} />
      {search.tab === "wallet" ? <Wallet ctx={ctx} paid={search.paid} /> : null}
      {search.tab === "orders" ? <OrderPart ctx={ctx} search={search} everybody={false} /> : null}
      {search.tab === "ledger" ? <LedgerPart ctx={ctx} search={search} /> : null}
      {search.tab === "all" ? <OrderPart ctx={ctx} search={search} everybody /> : null}
      {search.tab === "callbacks" ? <CallbackPart ctx={ctx} search={search} /> : null}
    </ListTransition>
  );
}

function leastRole(tab: WalletTab): number {
  if (tab === "callbacks") return ROLE.root;
  return tab === "all" ? ROLE.admin : ROLE.user;
}

function tabsOf(role: number): WalletTab[] {
  const tabs: WalletTab[] = ["wallet", "orders", "ledger", "all", "callbacks"];
  return tabs.filter((tab) => role >= leastRole(tab));
}

async function Wallet({ ctx, paid }: { ctx: ServiceContext; paid: string }) {
  const [own, offer, { quotaDisplay }, t] = await Promise.all([
    getSelf(ctx),
    readTopUpOffer(ctx),
    getSite(),
    getTranslations("topup"),
  ]);
  const price = offer.epay ? await quoteTopUp(ctx, { amount: offer.epay.minimum }).catch(noPrice) : "0.00";
  return (
    <>
      <Suspense>
        <Returned ctx={ctx} tradeNo={paid} />
      </Suspense>
      <div className="grid items-start gap-4 md:grid-cols-2 xl:grid-cols-3">
        <section className="rounded-lg border bg-surface p-5 md:col-span-2 xl:col-span-1">
          <h2 dir="auto" className="text-muted-foreground">
            {t("balance")}
          </h2>
          <p className="mt-1 font-semibold text-3xl tabular-nums tracking-tight" data-testid="balance">
            {formatQuota(own.quota, quotaDisplay)} <Converted quota={own.quota} display={quotaDisplay} />
          </p>
          {own.quota < 0 ? (
            <p className="mt-2 text-pretty" role="status">
              <Badge hue="red">{t("negative")}</Badge> {t("negativeText")}
            </p>
          ) : null}
          <p className="mt-2 text-muted-foreground">
            {t("spent", { amount: formatQuota(own.usedQuota, quotaDisplay), count: own.requestCount })}
          </p>
        </section>
        <WalletCard title={t("redeemTitle")} lead={t("redeemLead")}>
          <RedeemForm link={offer.link} />
        </WalletCard>
        <WalletCard title={t("onlineTitle")} lead={t("onlineLead")}>
          <OnlineForm offer={offer} price={price} />
        </WalletCard>
      </div>
    </>
  );
}

async function Returned({ ctx, tradeNo }: { ctx: ServiceContext; tradeNo: string }) {
  const order = await readOwnOrder(ctx, tradeNo);
  return order ? <PaidNotice order={order} /> : null;
}

/** The price is too small to be paid, so the page shows 0.00. */
function noPrice(error: unknown): string {
  if (error instanceof AppError) return "0.00";
  throw error;
}

function WalletCard({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  return (
    <section className="rounded-lg border bg-surface p-5">
      <h2 dir="auto" className="font-medium">
        {title}
      </h2>
      {lead ? <p className="mt-0.5 text-muted-foreground text-pretty">{lead}</p> : null}
      <div className="mt-4">{children}</div>
    </section>
  );
}
