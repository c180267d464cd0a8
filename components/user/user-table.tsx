"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { HeaderBox } from "@/components/data-table/header-box";
import { ListPeek } from "@/components/data-table/list-peek";
import { PeekButton } from "@/components/data-table/peek-button";
import type { Peek } from "@/components/data-table/peek-detail";
import { SelectMatching } from "@/components/data-table/select-matching";
import { GroupBadge } from "@/components/format/group-badge";
import { Checkbox } from "@/components/ui/checkbox";
import { Link } from "@/components/ui/link";
import { USER_STATUS } from "@/lib/row-status";
import type { UserSearch } from "@/lib/user/schemas";
import type { ChangeableUser } from "@/lib/user/types";
import { findUsers } from "./actions";
import { BulkBar } from "./bulk-bar";
import { allowedVerbs } from "./permissions";
import { type ManagedUser, UserActions } from "./user-actions";
import { RoleBadge, UserStatus } from "./user-badges";
import { UserInvitations, UserStatistics } from "./user-figures";
import type { UserRow } from "./user-row";

type UserTableProps = {
  rows: UserRow[];
  groups: string[];
  actor: { id: number; role: number };
  /** How many accounts match the filters of the list. */
  total: number;
  search: UserSearch;
  peek: Peek;
};

/** The user list. The selection survives paging. After an action, the server's answer replaces the state of the row. */
export function UserTable({ rows, groups, actor, total, search, peek }: UserTableProps) {
  const t = useTranslations("user");
  const [managed, setManaged] = useState({ of: rows, changes: new Map<number, ManagedUser>() });
  const [chosen, setChosen] = useState<ReadonlyMap<number, ChangeableUser>>(new Map());
  // New rows from the server already include these changes.
  const changes = managed.of === rows ? managed.changes : new Map<number, ManagedUser>();
  const shown = rows.map((row) => ({ ...row, ...changes.get(row.id) }));
  const selectable = shown.filter((row) => allowedVerbs(actor, row).edit);

  const onManaged = (id: number, change: ManagedUser) =>
    setManaged((before) => ({
      of: rows,
      changes: new Map(before.of === rows ? before.changes : []).set(id, change),
    }));
  const onSelect = (wanted: readonly ChangeableUser[], isOn: boolean) =>
    setChosen((before) => {
      const next = new Map(before);
      for (const row of wanted) isOn ? next.set(row.id, row) : next.delete(row.id);
      return next;
    });
  // Selected rows of other pages are kept; those of this page use their current state.
  const selected = [...chosen.values()].map((row) => shown.find(({ id }) => id === row.id) ?? row);

  const columns: Column<UserRow>[] = [
    useIdColumn({ selectable, chosen, onSelect }),
    ...useIdentityColumns(),
    {
      id: "actions",
      pinned: true,
      header: t("actions"),
      className: "md:w-px",
      cell: (user) => (user.deleted ? null : <UserActions user={user} actor={actor} onManaged={onManaged} />),
    },
  ];
  return (
    <>
      <BulkBar
        selected={selected}
        selectable={selectable}
        groups={groups}
        matching={
          <SelectMatching
            total={total}
            onPage={rows.length}
            selected={chosen.size}
            search={search}
            find={findUsers}
            onFound={(found) => onSelect(found, true)}
          />
        }
        onSelect={onSelect}
        onClear={() => setChosen(new Map())}
      />
      <ListPeek
        title={t("title")}
        rows={shown.filter(({ deleted }) => !deleted).map(({ id, username }) => ({ id, name: username }))}
        {...peek}
      >
        <DataTable
          caption={t("title")}
          columns={columns}
          rows={shown}
          rowKey={(user) => user.id}
          isMuted={(user) => user.deleted || user.status !== USER_STATUS.enabled}
        />
      </ListPeek>
    </>
  );
}

type IdColumnProps = {
  /** The rows of the page that may be selected. */
  selectable: readonly UserRow[];
  chosen: ReadonlyMap<number, ChangeableUser>;
  onSelect: (rows: readonly ChangeableUser[], isOn: boolean) => void;
};

function useIdColumn({ selectable, chosen, onSelect }: IdColumnProps): Column<UserRow> {
  const t = useTranslations("user");
  return {
    id: "id",
    header: t("id"),
    sort: "id",
    head: (
      <HeaderBox
        label={t("selectPage", { count: selectable.length })}
        rows={selectable.length}
        chosen={selectable.filter(({ id }) => chosen.has(id)).length}
        onChange={(isOn) => onSelect(selectable, isOn)}
      />
    ),
    className: "md:w-px",
    cell: (user) => (
      <span className="flex items-center gap-2 text-muted-foreground tabular-nums">
        <Checkbox
          aria-label={t("select", { name: user.username })}
          checked={chosen.has(user.id)}
          disabled={!selectable.some((row) => row.id === user.id)}
          onChange={(event) => onSelect([user], event.target.checked)}
        />
        {user.deleted ? (
          user.id
        ) : (
          <PeekButton id={user.id} name={user.username}>
            {String(user.id)}
          </PeekButton>
        )}
      </span>
    ),
  };
}

function useIdentityColumns(): Column<UserRow>[] {
  const t = useTranslations("user");
  return [
    {
      id: "username",
      header: t("username"),
      sort: "username",
      heading: true,
      className: "md:max-w-56",
      cell: (user) => (
        <span className="flex min-w-0 flex-col">
          {user.deleted ? (
            <span dir="auto" className="truncate font-medium">
              {user.username}
            </span>
          ) : (
            <Link href={`/user/${user.id}`} className="truncate font-medium hover:underline">
              {user.username}
            </Link>
          )}
          {user.displayName && user.displayName !== user.username ? (
            <span dir="auto" className="truncate font-normal text-muted-foreground text-xs">
              {user.displayName}
            </span>
          ) : null}
        </span>
      ),
    },
    { id: "group", header: t("group"), sort: "group", cell: (user) => <GroupBadge group={user.group} /> },
    { id: "statistics", header: t("statistics"), cell: (user) => <UserStatistics user={user} /> },
    { id: "invitations", header: t("invitations"), cell: (user) => <UserInvitations user={user} /> },
    { id: "role", header: t("role"), cell: (user) => <RoleBadge role={user.role} /> },
    {
      id: "status",
      header: t("status"),
      cell: (user) => <UserStatus status={user.status} deleted={user.deleted} />,
    },
  ];
}
