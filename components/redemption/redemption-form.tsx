"use client";

import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { type FormEvent, useId, useState } from "react";
import { drawerParams } from "@/components/data-table/list-params";
import { DrawerFooter } from "@/components/form/drawer-footer";
import { EditClashes } from "@/components/form/edit-clashes";
import { Field } from "@/components/form/field";
import { toNumber } from "@/components/form/limit-texts";
import { type MomentText, readMoment, toMomentText } from "@/components/form/moment";
import { MomentFields } from "@/components/form/moment-input";
import { MoneyField } from "@/components/form/money-field";
import { newId } from "@/components/form/new-id";
import { NumberInput } from "@/components/form/number-input";
import { QuotaPresets } from "@/components/form/quota-presets";
import { useDiscard } from "@/components/form/use-discard";
import { useEdit } from "@/components/form/use-edit";
import { useRunAction } from "@/components/form/use-run-action";
import { formatExactQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Drawer } from "@/components/overlay/drawer";
import { Input } from "@/components/ui/input";
import { toast } from "@/components/ui/toast";
import { createRedemptions, updateRedemption } from "./actions";
import { type MadeCodes, NewCodesDialog } from "./new-codes-dialog";

type Draft = { name: string; quota: string; count: string; expires: MomentText };

/** 0 = never. */
type Values = { name: string; quota: number; expiredTime: number };

type RedemptionFormProps = {
  /** null = create new codes. */
  code: Code | null;
};

const NEW: Draft = { name: "", quota: "100000", count: "1", expires: toMomentText(null) };

type Code = { id: number } & Values;

const SHAPE = {
  toDraft: (code: Code | null): Draft =>
    code
      ? { ...NEW, name: code.name, quota: String(code.quota), expires: toMomentText(code.expiredTime || null) }
      : NEW,
  toInput: ({ name, quota, expires }: Draft): Values | null => {
    const moment = readMoment(expires);
    return moment === undefined ? null : { name: name.trim(), quota: toNumber(quota), expiredTime: moment ?? 0 };
  },
};

/** The drawer to create codes or edit one. New codes are offered as a text file. */
export function RedemptionForm({ code }: RedemptionFormProps) {
  const t = useTranslations("redemption");
  const common = useTranslations("common");
  const formId = useId();
  const display = useQuotaDisplay();
  const [, setDrawer] = useQueryStates(drawerParams, { shallow: false });
  const { pending, run } = useRunAction();
  const [open, setOpen] = useState(true);
  const edit = useEdit(code, SHAPE);
  // Codes whose answer was lost are not made again.
  const [changeId] = useState(newId);
  const { draft, dirty, errors, setErrors, onChange, onFailure } = edit;
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
    const [input, changes] = [edit.input(), edit.changes()];
    if (!input || !changes) return setErrors({ expiredTime: t("expiryBad") });
    if (code)
      return run(
        () => updateRedemption({ ...changes, id: code.id }),
        () => {
          toast.success(common("saved"), { duration: 1500 });
          onClose();
        },
        onFailure,
      );
    const { quota } = input;
    const name = input.name || formatExactQuota(Number.isFinite(quota) ? quota : 0, display);
    return run(
      () => createRedemptions({ ...input, name, count: toNumber(draft.count), changeId }),
      (keys) => {
        setOpen(false);
        setMade({ name, keys });
      },
      onFailure,
    );
  };
  const labels: Record<keyof Values, string> = { name: t("name"), quota: t("quota"), expiredTime: t("expires") };
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
          <EditClashes edit={edit} labels={labels} kinds={{ quota: "money", expiredTime: "moment" }} />
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
