import { History } from "lucide-react";
import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { createLoader, parseAsInteger } from "nuqs/server";
import { Suspense } from "react";
import { ActivityTable } from "@/components/account/activity-table";
import { AuditPages } from "@/components/audit/audit-pages";
import { EmptyList, ListFrame, ListHeader } from "@/components/data-table/list-parts";
import { ListBody, ListTransition } from "@/components/data-table/list-transition";
import { TableSkeleton } from "@/components/data-table/table-skeleton";
import type { ServiceContext } from "@/lib/context";
import { fromReplica } from "@/lib/replica/from-replica";
import { listOwnActivity } from "@/lib/user/activity-queries";
import { getSignedIn } from "../signed-in";

const loadSearch = createLoader({ before: parseAsInteger });

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("activity"))("title") };
}

/** The signed-in user's own entries of the audit log. */
export default async function ActivityPage({ searchParams }: PageProps<"/activity">) {
  const [ctx, { before }, t] = await Promise.all([
    getSignedIn(),
    loadSearch(searchParams),
    getTranslations("activity"),
  ]);
  const from = before !== null && before > 0 ? before : null;
  return (
    <ListTransition>
      <ListHeader title={t("title")} lead={t("lead")} />
      <ListFrame>
        <ListBody>
          <Suspense fallback={<TableSkeleton label={t("title")} columns={5} rows={10} />}>
            <Rows ctx={ctx} before={from} />
          </Suspense>
        </ListBody>
      </ListFrame>
    </ListTransition>
  );
}

async function Rows({ ctx, before }: { ctx: ServiceContext; before: number | null }) {
  const [{ items, next }, t] = await Promise.all([
    fromReplica(ctx, (there) => listOwnActivity(there, before === null ? {} : { before })),
    getTranslations("activity"),
  ]);
  if (items.length === 0)
    return <EmptyList icon={<History aria-hidden />} title={t("emptyTitle")} text={t("emptyText")} />;
  return (
    <>
      <ActivityTable rows={items} />
      <AuditPages next={next} isFirst={before === null} />
    </>
  );
}
