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
import { type Peek, PeekPageLink, toPeek } from "@/components/data-table/peek-detail";
import { TableSkeleton } from "@/components/data-table/table-skeleton";
import { CreateUserForm } from "@/components/user/create-user-form";
import { EditUserForm } from "@/components/user/edit-user-form";
import { UserFacts } from "@/components/user/user-facts";
import { UserFilters } from "@/components/user/user-filters";
import { UserOutOfReach } from "@/components/user/user-out-of-reach";
import { toUserRow } from "@/components/user/user-row";
import { userFilterParams } from "@/components/user/user-search";
import { UserTable } from "@/components/user/user-table";
import { ROLE, type ServiceContext, type UserActor } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { listGroupNames } from "@/lib/group/queries";
import { readUserBudgets } from "@/lib/limit/budget-queries";
import { lastIfBeyond, type Page } from "@/lib/page";
import { fromReplica } from "@/lib/replica/from-replica";
import { getUserDetail } from "@/lib/user/detail-queries";
import { getUser, listUsers } from "@/lib/user/queries";
import type { UserSearch } from "@/lib/user/schemas";
import type { UserListItem } from "@/lib/user/types";
import { NoAccess } from "../no-access";
import { PageViews } from "../page-views";
import { getSignedIn } from "../signed-in";
import { loadUserSearch } from "./search-params";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("user"))("title") };
}

export default async function UserPage({ searchParams }: PageProps<"/user">) {
  const [ctx, { edit, create, peek, role, status, ...search }, t] = await Promise.all([
    getSignedIn(),
    loadUserSearch(searchParams),
    getTranslations("user"),
  ]);
  const groups = await listGroupNames(ctx).catch(refused);
  if (!groups) return <NoAccess own={ctx.actor.role} needed={ROLE.admin} />;
  const { page: number, pageSize, ...texts } = search;
  const filters = { ...texts, ...(role === null ? {} : { role }), ...(status === null ? {} : { status }) };
  const page = lastIfBeyond(
    (asked) => fromReplica(ctx, (there) => listUsers(there, { ...filters, pageSize, page: asked })),
    number,
  );
  const filtered = search.keyword !== "" || search.group !== "" || role !== null || status !== null;
  return (
    <ListTransition>
      <ListHeader title={t("title")} lead={t("lead")} action={<CreateButton label={t("add")} />} />
      <ListFrame>
        <UserFilters groups={groups} views={<PageViews ctx={ctx} page="user" params={userFilterParams} />} />
        <ListBody>
          <Suspense fallback={<TableSkeleton label={t("title")} columns={7} rows={pageSize} />}>
            <UserRows
              page={page}
              search={filters}
              actor={ctx.actor}
              groups={groups}
              filtered={filtered}
              peek={toPeek(peek, (id) => readFacts(ctx, id), toFacts)}
            />
          </Suspense>
        </ListBody>
      </ListFrame>
      <FreshDrawer shown={nameOfPanel({ edit, create })}>
        <UserDrawer ctx={ctx} groups={groups} edit={edit} create={create} />
      </FreshDrawer>
    </ListTransition>
  );
}

type UserRowsProps = {
  page: Promise<Page<UserListItem>>;
  search: UserSearch;
  actor: UserActor;
  groups: string[];
  filtered: boolean;
  peek: Peek;
};

async function readFacts(ctx: ServiceContext, id: number) {
  const { user, inviter } = await getUserDetail(ctx, id);
  return { user, inviter, budgets: await readUserBudgets(ctx, id) };
}

function toFacts(facts: Awaited<ReturnType<typeof readFacts>>) {
  return (
    <div className="flex flex-col gap-3">
      <UserFacts {...facts} />
      <PeekPageLink href={`/user/${facts.user.id}`} />
    </div>
  );
}

async function UserRows({ page, search, actor, groups, filtered, peek }: UserRowsProps) {
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
        total={total}
        search={search}
        peek={peek}
      />
      <Pagination {...paging} total={total} />
    </>
  );
}

function refused(error: unknown): null {
  if (error instanceof AppError && error.code === "forbidden") return null;
  throw error;
}

type UserDrawerProps = { ctx: ServiceContext; groups: string[]; edit: number | null; create: boolean };

async function UserDrawer({ ctx, groups, edit, create }: UserDrawerProps) {
  if (edit === null) return create ? <CreateUserForm /> : null;
  const user = await getUser(ctx, edit).catch(outOfReach);
  if (!user) return <UserOutOfReach key={edit} />;
  return <EditUserForm key={user.id} user={user} groups={groups} />;
}

/** Null for an account that does not exist or that outranks the user. */
function outOfReach(error: unknown): null {
  if (error instanceof AppError && (error.code === "not_found" || error.code === "forbidden")) return null;
  throw error;
}
