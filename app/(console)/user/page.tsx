import { SearchX, Users } from "lucide-react";
import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { Suspense } from "react";
import { CreateButton } from "@/components/data-table/create-button";
import { FreshDrawer } from "@/components/data-table/fresh-drawer";
import { nameOfPanel } from "@/components/data-table/list-params";
import { EmptyList, ListFrame, ListHeader } from "@/components/data-table/list-parts";
import { ListBody, ListTransition } from "@/components/data-table/list-transition";
import { Pagination } from "@/components/data-table/pagination";
import { TableSkeleton } from "@/components/data-table/table-skeleton";
import { UserFilters } from "@/components/user/user-filters";
import { toUserRow } from "@/components/user/user-row";
import { userFilterParams } from "@/components/user/user-search";
import { UserTable } from "@/components/user/user-table";
import { ROLE, type UserActor } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { listGroupNames } from "@/lib/group/queries";
import { lastIfBeyond, type Page } from "@/lib/page";
import { listUsers } from "@/lib/user/queries";
import type { UserListItem } from "@/lib/user/types";
import { NoAccess } from "../no-access";
import { PageViews } from "../page-views";
import { getSignedIn } from "../signed-in";
import { applyToUsers, manageUser } from "./actions";
import { UserDrawer } from "./drawer";
import { loadUserSearch } from "./search-params";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("user"))("title") };
}

export default async function UserPage({ searchParams }: PageProps<"/user">) {
  const [ctx, { edit, create, role, status, ...search }, t] = await Promise.all([
    getSignedIn(),
    loadUserSearch(searchParams),
    getTranslations("user"),
  ]);
  const groups = await listGroupNames(ctx).catch(refused);
  if (!groups) return <NoAccess own={ctx.actor.role} needed={ROLE.admin} />;
  const wanted = { ...search, ...(role === null ? {} : { role }), ...(status === null ? {} : { status }) };
  const page = lastIfBeyond((asked) => listUsers(ctx, { ...wanted, page: asked }), search.page);
  const filtered = search.keyword !== "" || search.group !== "" || role !== null || status !== null;
  return (
    <ListTransition>
      <ListHeader title={t("title")} lead={t("lead")} action={<CreateButton label={t("add")} />} />
      <ListFrame>
        <UserFilters groups={groups} views={<PageViews ctx={ctx} page="user" params={userFilterParams} />} />
        <ListBody>
          <Suspense fallback={<TableSkeleton label={t("title")} columns={7} rows={search.pageSize} />}>
            <UserRows page={page} actor={ctx.actor} groups={groups} filtered={filtered} />
          </Suspense>
        </ListBody>
      </ListFrame>
      <FreshDrawer shown={nameOfPanel({ edit, create })}>
        <UserDrawer ctx={ctx} groups={groups} edit={edit} create={create} />
      </FreshDrawer>
    </ListTransition>
  );
}

type UserRowsProps = { page: Promise<Page<UserListItem>>; actor: UserActor; groups: string[]; filtered: boolean };

async function UserRows({ page, actor, groups, filtered }: UserRowsProps) {
  const [{ items, total, ...paging }, t] = await Promise.all([page, getTranslations("user")]);
  if (total === 0 && filtered)
    return <EmptyList icon={<SearchX aria-hidden />} title={t("noMatchTitle")} text={t("noMatchText")} />;
  if (total === 0) return <EmptyList icon={<Users aria-hidden />} title={t("emptyTitle")} text={t("emptyText")} />;
  return (
    <>
      <UserTable
        rows={items.map(toUserRow)}
        groups={groups}
        actor={{ id: actor.id, role: actor.role }}
        actions={{ manageUser, applyToUsers }}
      />
      <Pagination {...paging} total={total} />
    </>
  );
}

function refused(error: unknown): null {
  if (error instanceof AppError && error.code === "forbidden") return null;
  throw error;
}
