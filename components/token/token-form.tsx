"use client";

import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { type FormEvent, useId, useState } from "react";
import { drawerParams } from "@/components/data-table/list-params";
import { DrawerFooter } from "@/components/form/drawer-footer";
import { useDiscard } from "@/components/form/use-discard";
import { useRunAction } from "@/components/form/use-run-action";
import { Drawer } from "@/components/overlay/drawer";
import { toast } from "@/components/ui/toast";
import type { UsableGroup } from "@/lib/group/types";
import type { ActionResult } from "@/lib/http/action";
import type { Token } from "@/lib/token/types";
import { NewKeyDialog, type ShownKey } from "./new-key-dialog";
import { type TokenDraft, type TokenInput, toDraft, toNumber, toTokenInput } from "./token-draft";
import { TokenBasics } from "./token-fields";
import { TokenRestrictions } from "./token-restrictions";

type Made = { made: ShownKey[]; failure: string | null };

type TokenFormProps = {
  token: Token | null;
  groups: UsableGroup[];
  models: string[];
  serverAddress: string;
  createTokens: (input: TokenInput & { count: number }) => Promise<ActionResult<Made>>;
  updateToken: (input: TokenInput & { id: number; remainQuotaSeen: number }) => Promise<ActionResult<void>>;
};

const NOTHING: Made = { made: [], failure: null };

function useTokenDraft(token: Token | null) {
  const [draft, setDraft] = useState<TokenDraft>(() => toDraft(token));
  const [errors, setErrors] = useState<Record<string, string>>({});
  const onChange = (change: Partial<TokenDraft>) => setDraft((before) => ({ ...before, ...change }));
  const dirty = JSON.stringify(draft) !== JSON.stringify(toDraft(token));
  const onRefused = (failure: { fields: Record<string, string> }) => setErrors(failure.fields);
  return { draft, dirty, errors, setErrors, onChange, onRefused };
}

/** The drawer to create tokens or edit one. After creation it shows the keys. */
export function TokenForm({ token, groups, models, serverAddress, createTokens, updateToken }: TokenFormProps) {
  const t = useTranslations("token");
  const common = useTranslations("common");
  const formId = useId();
  const [, setDrawer] = useQueryStates(drawerParams, { shallow: false });
  const { pending, run } = useRunAction();
  const [open, setOpen] = useState(true);
  const { draft, dirty, errors, setErrors, onChange, onRefused } = useTokenDraft(token);
  // The form's own reading: a refresh of the page behind it gives a newer token, but not new fields.
  const [seen] = useState(token?.remainQuota ?? 0);
  const [result, setResult] = useState<Made>(NOTHING);
  const onClose = () => {
    setOpen(false);
    setResult(NOTHING);
    setDrawer({ edit: null, create: null });
  };
  const { close, question } = useDiscard(open && dirty, onClose);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const input = toTokenInput(draft);
    setErrors(input ? {} : { expiredTime: t("expiryBad") });
    if (!input) return void toast.error(t("expiryBad"), { duration: 5000 });
    const onSaved = () => {
      toast.success(common("saved"), { duration: 1500 });
      onClose();
    };
    const onMade = (made: Made) => {
      setOpen(false);
      setResult(made);
    };
    if (token) run(() => updateToken({ ...input, id: token.id, remainQuotaSeen: seen }), onSaved, onRefused);
    else run(() => createTokens({ ...input, count: toNumber(draft.count) }), onMade, onRefused);
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
