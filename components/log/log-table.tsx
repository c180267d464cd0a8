"use client";

import { useTranslations } from "next-intl";
import { type ReactNode, useState } from "react";
import { applyColumnChoice, type ColumnChoice } from "@/components/data-table/column-choice";
import { DataTable } from "@/components/data-table/data-table";
import type { UsageLog } from "@/lib/usage-log/types";
import { FailureLine, hasFailure } from "./failure-line";
import type { LogActions } from "./log-actions";
import { useLogColumns } from "./log-columns";
import { LogDetail } from "./log-detail";
import { UserDialog } from "./user-dialog";

type LogTableProps = {
  rows: UsageLog[];
  isAdmin: boolean;
  /** Whether rows start expanded, e.g. for a link to one request. */
  isOpen?: boolean;
  choice: ColumnChoice;
  /** Ids of rows that have just arrived. */
  fresh?: ReadonlySet<number>;
  serverAddress: string;
  findLogUser: LogActions["findLogUser"];
};

const NONE: ReadonlySet<number> = new Set();

export function LogTable(props: LogTableProps) {
  const { rows, isAdmin, isOpen = false, choice, fresh = NONE, serverAddress, findLogUser } = props;
  const t = useTranslations("log");
  const [toggled, setToggled] = useState<ReadonlySet<number>>(NONE);
  const [user, setUser] = useState<{ id: number; username: string } | null>(null);
  const onToggle = (id: number) =>
    setToggled((before) =>
      before.has(id) ? new Set([...before].filter((other) => other !== id)) : new Set([...before, id]),
    );
  const opened = new Set(rows.map(({ id }) => id).filter((id) => toggled.has(id) !== isOpen));
  const columns = applyColumnChoice(useLogColumns({ isAdmin, opened, onToggle, onUser: setUser }), choice);
  return (
    <>
      <DataTable
        caption={t("title")}
        columns={columns}
        rows={rows}
        rowKey={(row) => row.id}
        rowClassName={(row) => (fresh.has(row.id) ? FRESH : undefined)}
        detail={(row) => below(row, opened.has(row.id) ? <LogDetail row={row} serverAddress={serverAddress} /> : null)}
      />
      {user ? <UserDialog user={user} onClose={() => setUser(null)} findLogUser={findLogUser} /> : null}
    </>
  );
}

/** Why a request failed stands below its row, whether it is open or not. */
function below(row: UsageLog, detail: ReactNode): ReactNode {
  if (!hasFailure(row)) return detail;
  return (
    <>
      <FailureLine row={row} />
      {detail ? <div className="mt-3">{detail}</div> : null}
    </>
  );
}

const FRESH = "fade-in-0 slide-in-from-top-3 animate-in duration-300";
