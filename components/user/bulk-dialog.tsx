"use client";

import { ArrowRight } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Field } from "@/components/form/field";
import { GroupBadge } from "@/components/format/group-badge";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { NativeSelect } from "@/components/ui/native-select";
import { USER_STATUS } from "@/lib/row-status";
import type { ChangeableUser } from "@/lib/user/types";
import { UserStatus } from "./user-badges";

export type BulkChange = { kind: "enable" } | { kind: "disable" } | { kind: "group"; group: string };

type BulkDialogProps = {
  kind: BulkChange["kind"];
  users: ChangeableUser[];
  groups: string[];
  pending: boolean;
  onClose: () => void;
  onApply: (ids: number[], change: BulkChange) => void;
};

/** Previews every selected row before and after the change, before anything is saved. */
export function BulkDialog({ kind, users, groups, pending, onClose, onApply }: BulkDialogProps) {
  const t = useTranslations("user");
  const common = useTranslations("common");
  const [group, setGroup] = useState(groups[0] ?? "");
  const change: BulkChange = kind === "group" ? { kind, group } : { kind };
  const affected = users.filter((user) => isChanged(user, change));
  const titles = { enable: t("bulkEnable"), disable: t("bulkDisable"), group: t("bulkGroup") };
  const footer = (
    <>
      <Button size="md" onClick={onClose} disabled={pending} autoFocus>
        {common("cancel")}
      </Button>
      <Button
        size="md"
        variant={kind === "disable" ? "destructive" : "primary"}
        pending={pending}
        disabled={affected.length === 0}
        onClick={() =>
          onApply(
            affected.map(({ id }) => id),
            change,
          )
        }
      >
        {t("bulkApply", { count: affected.length })}
      </Button>
    </>
  );
  return (
    <Modal open onClose={onClose} title={titles[kind]} description={t("bulkText")} footer={footer} className="max-w-lg">
      {kind === "group" ? (
        <div className="mb-4">
          <Field label={t("newGroup")}>
            {(control) => (
              <NativeSelect {...control} value={group} onChange={(event) => setGroup(event.target.value)}>
                {groups.map((name) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
              </NativeSelect>
            )}
          </Field>
        </div>
      ) : null}
      <ul className="max-h-72 divide-y overflow-y-auto rounded-md border" aria-label={t("preview")}>
        {users.map((user) => (
          <li key={user.id} className="flex items-center gap-2 px-3 py-1.5">
            <span dir="auto" className="mr-auto min-w-0 truncate">
              {user.username}
            </span>
            <Before user={user} kind={kind} />
            {isChanged(user, change) ? (
              <>
                <ArrowRight className="size-3.5 shrink-0 text-muted-foreground" aria-label={t("becomes")} />
                <After change={change} />
              </>
            ) : (
              <span className="text-muted-foreground text-xs">{t("unchanged")}</span>
            )}
          </li>
        ))}
      </ul>
    </Modal>
  );
}

function isChanged(user: ChangeableUser, change: BulkChange): boolean {
  if (change.kind === "group") return user.group !== change.group;
  return change.kind === "enable" ? user.status === USER_STATUS.disabled : user.status === USER_STATUS.enabled;
}

function Before({ user, kind }: { user: ChangeableUser; kind: BulkChange["kind"] }) {
  return kind === "group" ? <GroupBadge group={user.group} /> : <UserStatus status={user.status} deleted={false} />;
}

function After({ change }: { change: BulkChange }) {
  if (change.kind === "group") return <GroupBadge group={change.group} />;
  return <UserStatus status={change.kind === "enable" ? USER_STATUS.enabled : USER_STATUS.disabled} deleted={false} />;
}
