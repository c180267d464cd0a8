"use client";

import { useTranslations } from "next-intl";
import { useEffect, useEffectEvent, useState } from "react";
import { useRunAction } from "@/components/form/use-run-action";
import { Time } from "@/components/format/time";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import type { BulkRecord } from "@/lib/channel/bulk-types";
import { listBulk } from "./bulk-actions";
import type { BulkKind } from "./bulk-fields";
import { useUndoBulk } from "./use-undo-bulk";

/** The latest bulk changes. Each can be undone for a day. */
export function BulkHistory({ onClose }: { onClose: () => void }) {
  const t = useTranslations("channel");
  const { pending, run } = useRunAction();
  const undo = useUndoBulk();
  const [records, setRecords] = useState<BulkRecord[] | null>(null);
  const load = useEffectEvent(() => run(() => listBulk({}), setRecords, onClose));
  useEffect(() => load(), []);
  const onUndo = (id: number) => undo(id, () => run(() => listBulk({}), setRecords));
  return (
    <Modal open onClose={onClose} title={t("bulkHistory")} description={t("bulkHistoryText")} className="max-w-xl">
      {records === null || records.length === 0 ? (
        <p role="status" className="py-4 text-muted-foreground">
          {records === null ? t("previewing") : t("bulkHistoryEmpty")}
        </p>
      ) : (
        <ul className="divide-y">
          {records.map((record) => (
            <li key={record.id} className="flex flex-wrap items-center justify-between gap-2 py-2">
              <span>
                <span className="font-medium">{t(`did.${record.kind as BulkKind}`, { count: record.changed })}</span>
                <span className="block text-muted-foreground text-xs">
                  {record.actorName} · <Time seconds={record.createdAt} />
                </span>
              </span>
              {record.undoneAt !== null ? (
                <span className="text-muted-foreground text-xs">{t("wasUndone")}</span>
              ) : (
                <Button disabled={!record.canUndo || pending} onClick={() => onUndo(record.id)}>
                  {t("undo")}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Modal>
  );
}
