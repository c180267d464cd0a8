"use client";

import { useTranslations } from "next-intl";
import { type FormEvent, useEffect, useEffectEvent, useId, useState } from "react";
import { useRunAction } from "@/components/form/use-run-action";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import type { BulkInput } from "@/lib/channel/bulk-schemas";
import type { BulkPreview } from "@/lib/channel/bulk-types";
import { applyBulk, previewBulk } from "./bulk-actions";
import { type BulkDraft, BulkFields, type BulkKind, emptyBulkDraft, toBulkChange } from "./bulk-fields";
import { BulkPreviewTable } from "./bulk-preview";
import { useUndoBulk } from "./use-undo-bulk";

type BulkDialogProps = {
  kind: BulkKind;
  target: BulkInput["target"];
  groups: string[];
  onClose: () => void;
  onDone: () => void;
};

const UNDO_OFFER_MS = 15_000;
/** These need no input, so the preview comes at once. */
const PLAIN: readonly BulkKind[] = ["enable", "disable", "delete"];

/** The steps of a bulk change: input, preview, apply. */
function useBulkChange({ kind, target, onClose, onDone }: BulkDialogProps) {
  const t = useTranslations("channel");
  const { pending, run } = useRunAction();
  const undo = useUndoBulk();
  const [draft, setDraft] = useState<BulkDraft>(emptyBulkDraft);
  const [preview, setPreview] = useState<BulkPreview | null>(null);
  const isPlain = PLAIN.includes(kind);

  const onPreview = () => {
    const change = toBulkChange(kind, draft);
    if (change === "tagMissing") toast.error(t("tagMissing"), { duration: 5000 });
    else if (change === "numberBad") toast.info(kind === "priority" ? t("priorityBad") : t("weightBad"));
    else run(() => previewBulk({ target, change }), setPreview, isPlain ? onClose : undefined);
  };
  const onApply = () => {
    const change = toBulkChange(kind, draft);
    if (!preview || typeof change === "string") return;
    run(
      () => applyBulk({ target, change, expected: preview.fingerprint }),
      ({ id, changed }) => {
        onClose();
        onDone();
        const said = kind === "delete" ? t("bulkDeleted", { count: changed }) : t("bulkDone", { count: changed });
        const action = id === null ? {} : { action: { label: t("undo"), onClick: () => undo(id) } };
        toast.success(said, { duration: UNDO_OFFER_MS, ...action });
      },
      () => setPreview(null),
    );
  };
  const onChange = (change: Partial<BulkDraft>) => {
    setDraft((before) => ({ ...before, ...change }));
    setPreview(null);
  };
  return { pending, draft, preview, isPlain, onPreview, onApply, onChange };
}

function useBulkTitle(kind: BulkKind): string {
  const t = useTranslations("channel");
  const titles = {
    enable: t("bulkEnable"),
    disable: t("bulkDisable"),
    delete: t("deleteChosen"),
    tag: t("bulkTag"),
    groups: t("changeGroups"),
    models: t("changeModels"),
    priority: t("changePriority"),
    weight: t("changeWeight"),
  };
  return titles[kind];
}

export function BulkDialog(props: BulkDialogProps) {
  const { kind, groups, onClose } = props;
  const t = useTranslations("channel");
  const common = useTranslations("common");
  const formId = useId();
  const title = useBulkTitle(kind);
  const { pending, draft, preview, isPlain, onPreview, onApply, onChange } = useBulkChange(props);
  const first = useEffectEvent(onPreview);
  useEffect(() => {
    if (isPlain) first();
  }, [isPlain]);
  const footer = (
    <>
      <Button size="md" onClick={onClose} disabled={pending}>
        {common("cancel")}
      </Button>
      {preview ? (
        <Button
          size="md"
          variant={kind === "delete" ? "destructive" : "primary"}
          pending={pending}
          disabled={preview.changed === 0}
          onClick={onApply}
        >
          {t("applyTo", { count: preview.changed })}
        </Button>
      ) : (
        <Button size="md" variant="primary" type="submit" form={formId} pending={pending}>
          {t("preview")}
        </Button>
      )}
    </>
  );
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    onPreview();
  };
  return (
    <Modal open onClose={onClose} title={title} footer={footer} className="max-w-2xl">
      <form id={formId} noValidate className="flex flex-col gap-4" onSubmit={onSubmit}>
        {isPlain ? null : <BulkFields kind={kind} draft={draft} groups={groups} onChange={onChange} />}
        {preview ? <BulkPreviewTable preview={preview} /> : null}
        {!preview && pending ? (
          <p role="status" className="text-muted-foreground">
            {t("previewing")}
          </p>
        ) : null}
      </form>
    </Modal>
  );
}
