"use client";

import { useTranslations } from "next-intl";
import { type ReactNode, useState } from "react";
import { applyColumnChoice, type ColumnChoice } from "@/components/data-table/column-choice";
import { DataTable } from "@/components/data-table/data-table";
import { RowPeek } from "@/components/data-table/row-peek";
import { useOpened } from "@/components/data-table/use-opened";
import { usePeek } from "@/components/data-table/use-peek";
import { Time } from "@/components/format/time";
import type { UsageLog } from "@/lib/usage-log/columns";
import { FailureLine, hasFailure } from "./failure-line";
import { LogType, useLogColumns } from "./log-columns";
import { LogDetail } from "./log-detail";
import { peekKey } from "./log-search";
import { UserDialog } from "./user-dialog";

type LogTableProps = {
  rows: UsageLog[];
  isAdmin: boolean;
  /** Whether rows start expanded, e.g. for a link to one request. */
  isOpen?: boolean;
  choice: ColumnChoice;
  stray?: UsageLog | null;
  /** Ids of rows that have just arrived. */
  fresh?: ReadonlySet<number>;
  serverAddress: string;
};

const NONE: ReadonlySet<number> = new Set();

export function LogTable(props: LogTableProps) {
  const { rows, isAdmin, isOpen = false, choice, stray = null, fresh = NONE, serverAddress } = props;
  const t = useTranslations("log");
  const { opened: toggled, toggle } = useOpened();
  const [user, setUser] = useState<{ id: number; username: string } | null>(null);
  const { peek, open, move } = usePeek();
  const opened = new Set(rows.map(({ id }) => id).filter((id) => toggled.has(id) !== isOpen));
  // A phone has no room beside the list: there a row opens below itself, like the rows of a link to one request.
  const onOpen = (row: UsageLog) =>
    isOpen || opened.has(row.id) || !window.matchMedia(WIDE).matches ? toggle(row.id) : open(peekKey(row));
  const peeked = peek === null ? null : (rows.find((row) => peekKey(row) === peek) ?? stray);
  const shown = peeked === null ? opened : new Set([...opened, peeked.id]);
  const columns = applyColumnChoice(useLogColumns({ isAdmin, opened: shown, onOpen, onUser: setUser }), choice);
  return (
    <>
      <DataTable
        caption={t("title")}
        columns={columns}
        rows={rows}
        rowKey={(row) => row.id}
        rowClassName={(row) => (fresh.has(row.id) ? FRESH : undefined)}
        detail={(row) => below(row, opened.has(row.id) ? <LogDetail row={row} serverAddress={serverAddress} /> : null)}
        onRow={onOpen}
      />
      <RowPeek
        peek={peeked && peekKey(peeked)}
        keys={rows.map(peekKey)}
        title={<PeekTitle row={peeked} />}
        onMove={move}
        focusRow={(key) => document.getElementById(`log-${key}`)?.focus()}
      >
        {peeked ? <LogDetail row={peeked} serverAddress={serverAddress} /> : null}
      </RowPeek>
      {user ? <UserDialog user={user} onClose={() => setUser(null)} /> : null}
    </>
  );
}

function PeekTitle({ row }: { row: UsageLog | null }) {
  const t = useTranslations("log");
  if (!row) return t("title");
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-2">
      <LogType type={row.type} />
      <span dir="auto" className="wrap-anywhere">
        {row.modelName || <Time seconds={row.createdAt} />}
      </span>
    </span>
  );
}

/** From this width on the table is a table, not cards. */
const WIDE = "(min-width: 768px)";
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
