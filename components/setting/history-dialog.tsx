"use client";

import { useTranslations } from "next-intl";
import { useEffect, useState } from "react";
import { useRunAction } from "@/components/form/use-run-action";
import { Time } from "@/components/format/time";
import { Drawer } from "@/components/overlay/drawer";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { later, useLater } from "@/components/ui/later";
import { Skeleton } from "@/components/ui/skeleton";
import { toast } from "@/components/ui/toast";
import type { OptionVersion, OptionView } from "@/lib/option/types";
import { loadHistory, revertOption } from "./actions";
import { useOptionText } from "./option-text";

type History = { items: OptionVersion[]; next: number | null };

const SAVED_MS = 1500;

/** Loaded while the versions are. */
const differenceCode = later(() =>
  import("@/components/audit/difference-view").then(({ DifferenceView }) => DifferenceView),
);

/** Every saved version of one option with user, time, IP and value. Each can be restored. */
export function HistoryDialog({ view, onClose }: { view: OptionView; onClose: () => void }) {
  const t = useTranslations("setting");
  const { label } = useOptionText();
  const { pending, run } = useRunAction();
  useLater(differenceCode, true);
  const [history, setHistory] = useState<History | null>(null);
  const load = (before: number | null) =>
    run(
      () => loadHistory({ key: view.key, before }),
      (page) =>
        setHistory((had) => ({ ...page, items: [...(before === null ? [] : (had?.items ?? [])), ...page.items] })),
    );
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it opens
  useEffect(() => load(null), []);
  const onRevert = (id: number) =>
    run(
      () => revertOption({ id, newest: history?.items[0]?.id }),
      () => {
        toast.success(t("reverted"), { duration: SAVED_MS });
        onClose();
      },
      ({ code }) => (code === "conflict" ? load(null) : undefined),
    );
  return (
    <Drawer open onClose={onClose} title={t("historyOf", { name: label(view.key) })} description={view.key}>
      {history === null ? <Skeleton className="h-20" /> : null}
      {history?.items.length === 0 ? <p className="text-muted-foreground">{t("historyEmpty")}</p> : null}
      <ol className="flex flex-col gap-3">
        {history?.items.map((version, index) => (
          <VersionItem
            key={version.id}
            subject={`option:${view.key}`}
            version={version}
            isCurrent={index === 0}
            pending={pending}
            onRevert={() => onRevert(version.id)}
          />
        ))}
      </ol>
      {history?.next ? (
        <Button className="mt-4" pending={pending} onClick={() => load(history.next)}>
          {t("historyOlder")}
        </Button>
      ) : null}
    </Drawer>
  );
}

type VersionItemProps = {
  version: OptionVersion;
  subject: string;
  isCurrent: boolean;
  pending: boolean;
  onRevert: () => void;
};

function VersionItem({ version, subject, isCurrent, pending, onRevert }: VersionItemProps) {
  const t = useTranslations("setting");
  const DifferenceView = useLater(differenceCode, true);
  const who = version.actorName || (version.actorId === null ? t("historyJob") : `#${version.actorId}`);
  return (
    <li className="rounded-lg border p-3">
      <div className="mb-2 flex items-start justify-between gap-3">
        <div className="min-w-0">
          <p className="flex flex-wrap items-center gap-1.5 font-medium">
            <Time seconds={version.createdAt} />
            {isCurrent ? <Badge hue="green">{t("historyCurrent")}</Badge> : null}
            {version.toDefault ? <Badge>{t("historyDefault")}</Badge> : null}
          </p>
          <p className="text-muted-foreground text-xs">
            {version.clientIp ? t("historyBy", { who, address: version.clientIp }) : who}
          </p>
        </div>
        {isCurrent ? null : (
          <Button disabled={pending} onClick={onRevert}>
            {t("revert")}
          </Button>
        )}
      </div>
      {version.difference ? null : <p className="text-muted-foreground text-xs">{t("historySecret")}</p>}
      {version.difference && !DifferenceView ? <Skeleton className="h-12" /> : null}
      {version.difference && DifferenceView ? (
        <DifferenceView difference={version.difference} subject={subject} />
      ) : null}
    </li>
  );
}
