import { History, SearchX } from "lucide-react";
import type { Metadata, Route } from "next";
import { getTranslations } from "next-intl/server";
import { Suspense } from "react";
import { AuditFilters } from "@/components/audit/audit-filters";
import { AuditPages } from "@/components/audit/audit-pages";
import { auditViewParams } from "@/components/audit/audit-search";
import { AuditTable } from "@/components/audit/audit-table";
import { subjectHref } from "@/components/audit/subject-href";
import { EmptyList, ListFrame, ListHeader } from "@/components/data-table/list-parts";
import { ListBody, ListTransition } from "@/components/data-table/list-transition";
import { TableSkeleton } from "@/components/data-table/table-skeleton";
import { listAuditActions, listAuditEntries } from "@/lib/audit/queries";
import type { AuditPage, AuditRow } from "@/lib/audit/types";
import { ROLE } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { settingPath } from "@/lib/option/cards";
import { definitionOf, optionKeys } from "@/lib/option/registry";
import { fromReplica } from "@/lib/replica/from-replica";
import { NoAccess } from "../no-access";
import { PageViews } from "../page-views";
import { getSignedIn } from "../signed-in";
import { getTimeZone } from "../time-zone";
import { loadAuditSearch, toAuditSearch } from "./search-params";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("audit"))("title") };
}

export default async function AuditLogPage({ searchParams }: PageProps<"/audit">) {
  const [ctx, params, timeZone, t] = await Promise.all([
    getSignedIn(),
    loadAuditSearch(searchParams),
    getTimeZone(),
    getTranslations("audit"),
  ]);
  const actions = await listAuditActions(ctx).catch(refused);
  if (!actions) return <NoAccess own={ctx.actor.role} needed={ROLE.root} />;
  const { before, ...conditions } = params;
  const page = fromReplica(ctx, (there) => listAuditEntries(there, toAuditSearch(params, timeZone)));
  const filtered = Object.values(conditions).some((value) => value !== "" && value !== null);
  return (
    <ListTransition>
      <ListHeader title={t("title")} lead={t("lead")} />
      <ListFrame>
        <AuditFilters actions={actions} views={<PageViews ctx={ctx} page="audit" params={auditViewParams} />} />
        <ListBody>
          <Suspense fallback={<TableSkeleton label={t("title")} columns={6} rows={10} />}>
            <AuditRows page={page} filtered={filtered} isFirst={before === null} />
          </Suspense>
        </ListBody>
      </ListFrame>
    </ListTransition>
  );
}

async function AuditRows(props: { page: Promise<AuditPage>; filtered: boolean; isFirst: boolean }) {
  const [{ items, next }, t] = await Promise.all([props.page, getTranslations("audit")]);
  if (items.length === 0 && props.filtered)
    return <EmptyList icon={<SearchX aria-hidden />} title={t("noMatchTitle")} text={t("noMatchText")} />;
  if (items.length === 0)
    return <EmptyList icon={<History aria-hidden />} title={t("emptyTitle")} text={t("emptyText")} />;
  return (
    <>
      <AuditTable rows={items} hrefs={hrefsOf(items)} />
      <AuditPages next={next} isFirst={props.isFirst} />
    </>
  );
}

/** Links for the audit rows. Computed on the server so that the option registry is not sent to the browser. */
function hrefsOf(rows: readonly AuditRow[]): Record<number, Route> {
  const settings = Object.fromEntries(
    optionKeys().flatMap((key) => {
      const { card } = definitionOf(key);
      return card ? [[key, settingPath(card, key)]] : [];
    }),
  );
  return Object.fromEntries(
    rows.flatMap(({ id, subject }) => {
      const href = subjectHref(subject, settings);
      return href === null ? [] : [[id, href]];
    }),
  );
}

function refused(error: unknown): null {
  if (error instanceof AppError && error.code === "forbidden") return null;
  throw error;
}
