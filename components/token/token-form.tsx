"use client";

import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { type FormEvent, useId, useState } from "react";
import { drawerParams } from "@/components/data-table/list-params";
import { DrawerFooter } from "@/components/form/drawer-footer";
import { BUDGETS_AS_MONEY, type ClashingEdit, EditClashes } from "@/components/form/edit-clashes";
import type { EditShape } from "@/components/form/edit-draft";
import { toNumber } from "@/components/form/limit-texts";
import { newId } from "@/components/form/new-id";
import { useDiscard } from "@/components/form/use-discard";
import { useEdit } from "@/components/form/use-edit";
import { useRunAction } from "@/components/form/use-run-action";
import { Drawer } from "@/components/overlay/drawer";
import { toast } from "@/components/ui/toast";
import type { UsableGroup } from "@/lib/group/queries";
import type { Token } from "@/lib/token/types";
import { createTokens, updateToken } from "./actions";
import { NewKeyDialog, type ShownKey } from "./new-key-dialog";
import { type TokenDraft, type TokenInput, toDraft, toTokenInput } from "./token-draft";
import { TokenBasics } from "./token-fields";
import { TokenRestrictions } from "./token-restrictions";

type Made = { made: ShownKey[]; failure: string | null };

type TokenFormProps = {
  token: Token | null;
  groups: UsableGroup[];
  models: string[];
  serverAddress: string;
};

const NOTHING: Made = { made: [], failure: null };

const SHAPE: EditShape<Token, TokenDraft, TokenInput> = {
  toDraft,
  toInput: toTokenInput,
  together: [
    ["rateLimitCount", "rateLimitSeconds"],
    ["modelLimitsEnabled", "modelLimits"],
  ],
};

/** The drawer to create tokens or edit one. After creation it shows the keys. */
export function TokenForm({ token, groups, models, serverAddress }: TokenFormProps) {
  const t = useTranslations("token");
  const common = useTranslations("common");
  const formId = useId();
  const [, setDrawer] = useQueryStates(drawerParams, { shallow: false });
  const { pending, run } = useRunAction();
  const [open, setOpen] = useState(true);
  const edit = useEdit(token, SHAPE);
  // A save whose answer was lost may be sent again: the limit is changed once.
  const [changeId] = useState(newId);
  const { draft, dirty, errors, setErrors, onChange, onFailure } = edit;
  const [result, setResult] = useState<Made>(NOTHING);
  const onClose = () => {
    setOpen(false);
    setResult(NOTHING);
    setDrawer({ edit: null, create: null });
  };
  const { close, question } = useDiscard(open && dirty, onClose);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const [input, changes] = [edit.input(), edit.changes()];
    setErrors(input ? {} : { expiredTime: t("expiryBad") });
    if (!input || !changes) return void toast.error(t("expiryBad"), { duration: 5000 });
    const onSaved = () => {
      toast.success(common("saved"), { duration: 1500 });
      onClose();
    };
    const onMade = (made: Made) => {
      setOpen(false);
      setResult(made);
    };
    if (token) run(() => updateToken({ ...changes, id: token.id, changeId }), onSaved, onFailure);
    else run(() => createTokens({ ...input, count: toNumber(draft.count) }), onMade, onFailure);
  };

  return (
    <>
      <Drawer
        modalForm
        open={open}
        onClose={close}
        title={token ? t("editTitle") : t("createTitle")}
        description={token ? undefined : t("createLead")}
        footer={<DrawerFooter form={formId} pending={pending} onCancel={close} />}
      >
        <form id={formId} onSubmit={onSubmit} noValidate className="flex flex-col gap-6">
          <TokenClashes edit={edit} />
          <TokenBasics draft={draft} onChange={onChange} errors={errors} groups={groups} isNew={token === null} />
          <TokenRestrictions draft={draft} onChange={onChange} errors={errors} models={models} />
        </form>
      </Drawer>
      {question}
      <NewKeyDialog
        made={result.made}
        failure={result.failure}
        title={t("createdTitle")}
        text={t("createdText")}
        serverAddress={serverAddress}
        onClose={onClose}
      />
    </>
  );
}

function TokenClashes({ edit }: { edit: ClashingEdit }) {
  const t = useTranslations("token");
  const limit = useTranslations("limit");
  const labels: Record<keyof TokenInput, string> = {
    name: t("name"),
    remainQuota: t("quota"),
    unlimitedQuota: t("unlimited"),
    expiredTime: t("expiry"),
    group: t("group"),
    modelLimitsEnabled: t("modelLimits"),
    modelLimits: t("models"),
    operationLimits: t("operations"),
    allowIps: t("allowIps"),
    denyIps: t("denyIps"),
    rateLimitCount: t("rateCount"),
    rateLimitSeconds: t("rateSeconds"),
    rateLimitMessage: t("rateMessage"),
    tokensPerMinute: limit("tokensPerMinute"),
    concurrencyLimit: limit("concurrencyLimit"),
    budgetDay: limit("budgetDay"),
    budgetWeek: limit("budgetWeek"),
    budgetMonth: limit("budgetMonth"),
  };
  return <EditClashes edit={edit} labels={labels} kinds={{ ...BUDGETS_AS_MONEY, expiredTime: "moment" }} />;
}
