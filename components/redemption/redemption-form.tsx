"use client";

import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { type FormEvent, useId, useState } from "react";
import { drawerParams } from "@/components/data-table/list-params";
import { DrawerFooter } from "@/components/form/drawer-footer";
import { Field } from "@/components/form/field";
import { type MomentText, readMoment, toMomentText } from "@/components/form/moment";
import { MomentFields } from "@/components/form/moment-input";
import { MoneyField } from "@/components/form/money-field";
import { NumberInput } from "@/components/form/number-input";
import { useDiscard } from "@/components/form/use-discard";
import { useRunAction } from "@/components/form/use-run-action";
import { formatExactQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Drawer } from "@/components/overlay/drawer";
import { QuotaPresets } from "@/components/token/quota-presets";
import { toNumber } from "@/components/token/token-draft";
import { Input } from "@/components/ui/input";
import { toast } from "@/components/ui/toast";
import type { ActionResult } from "@/lib/http/action";
import { type MadeCodes, NewCodesDialog } from "./new-codes-dialog";

type Draft = { name: string; quota: string; count: string; expires: MomentText };

/** 0 = never. */
type Values = { name: string; quota: number; expiredTime: number };

type RedemptionFormProps = {
  /** null = create new codes. */
  code: ({ id: number } & Values) | null;
  createRedemptions: (input: Values & { count: number }) => Promise<ActionResult<string[]>>;
  updateRedemption: (
    input: { id: number } & Omit<Values, "expiredTime"> & Partial<Values>,
  ) => Promise<ActionResult<void>>;
};

const NEW: Draft = { name: "", quota: "100000", count: "1", expires: toMomentText(null) };

function useDraft(code: RedemptionFormProps["code"]) {
  // The form's own reading: a refresh of the page behind it gives a newer row, but not new fields.
  const [initial] = useState<Draft>(() =>
    code
      ? { ...NEW, name: code.name, quota: String(code.quota), expires: toMomentText(code.expiredTime || null) }
      : NEW,
  );
  const [draft, setDraft] = useState<Draft>(initial);
  const onChange = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  const isChanged = (a: unknown, b: unknown) => JSON.stringify(a) !== JSON.stringify(b);
  return {
    draft,
    dirty: isChanged(draft, initial),
    hasNewExpiry: isChanged(draft.expires, initial.expires),
    onChange,
  };
}

/** The drawer to create codes or edit one. New codes are offered as a text file. */
export function RedemptionForm({ code, createRedemptions, updateRedemption }: RedemptionFormProps) {
  const t = useTranslations("redemption");
  const common = useTranslations("common");
  const formId = useId();
  const display = useQuotaDisplay();
  const [, setDrawer] = useQueryStates(drawerParams, { shallow: false });
  const { pending, run } = useRunAction();
  const [open, setOpen] = useState(true);
  const { draft, dirty, hasNewExpiry, onChange } = useDraft(code);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [made, setMade] = useState<MadeCodes | null>(null);
  const onClose = () => {
    setOpen(false);
    setMade(null);
    setDrawer({ edit: null, create: null });
  };
  const { close, question } = useDiscard(open && dirty, onClose);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setErrors({});
    const quota = toNumber(draft.quota);
    const typed = draft.name.trim();
    const expires = readMoment(draft.expires);
    if (expires === undefined) return setErrors({ expiredTime: t("expiryBad") });
    const expiredTime = expires ?? 0;
    if (code)
      return run(
        // The field has no seconds: a time that was only read stays as it is.
        () => updateRedemption({ id: code.id, name: typed, quota, ...(hasNewExpiry ? { expiredTime } : {}) }),
        () => {
          toast.success(common("saved"), { duration: 1500 });
          onClose();
        },
        (failure) => setErrors(failure.fields),
      );
    const name = typed || formatExactQuota(Number.isFinite(quota) ? quota : 0, display);
    return run(
      () => createRedemptions({ name, quota, count: toNumber(draft.count), expiredTime }),
      (keys) => {
        setOpen(false);
        setMade({ name, keys });
      },
      (failure) => setErrors(failure.fields),
    );
  };
  return (
    <>
      <Drawer
        modalForm
        open={open}
        onClose={close}
        title={code ? t("editTitle") : t("createTitle")}
        footer={<DrawerFooter form={formId} pending={pending} onCancel={close} />}
      >
        <form id={formId} onSubmit={onSubmit} noValidate className="flex flex-col gap-5">
          <RedemptionFields draft={draft} onChange={onChange} errors={errors} isNew={code === null} />
        </form>
      </Drawer>
      {question}
      <NewCodesDialog made={made} onClose={onClose} />
    </>
  );
}

type FieldsProps = {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  errors: Record<string, string>;
  isNew: boolean;
};

function RedemptionFields({ draft, onChange, errors, isNew }: FieldsProps) {
  const t = useTranslations("redemption");
  const amount = formatExactQuota(Number(draft.quota) || 0, useQuotaDisplay());
  return (
    <>
      <Field label={t("name")} hint={isNew ? t("nameHint", { amount }) : t("nameHintEdit")} error={errors.name}>
        {(control) => (
          <Input
            {...control}
            value={draft.name}
            autoComplete="off"
            autoFocus
            onChange={(event) => onChange({ name: event.target.value })}
          />
        )}
      </Field>
      <div className="flex flex-col gap-2">
        <MoneyField
          label={t("quota")}
          error={errors.quota}
          quota={draft.quota}
          onQuota={(quota) => onChange({ quota })}
        />
        <QuotaPresets onQuota={(quota) => onChange({ quota: String(quota) })} />
      </div>
      <Field label={t("expires")} hint={t("expiryHint")} error={errors.expiredTime}>
        {(control) => (
          <MomentFields
            control={control}
            label={t("expires")}
            text={draft.expires}
            onText={(expires) => onChange({ expires })}
          />
        )}
      </Field>
      {isNew ? (
        <Field label={t("count")} hint={t("countHint")} error={errors.count}>
          {(control) => (
            <NumberInput
              {...control}
              min={1}
              max={100}
              value={draft.count}
              onChange={(event) => onChange({ count: event.target.value })}
            />
          )}
        </Field>
      ) : null}
    </>
  );
}
