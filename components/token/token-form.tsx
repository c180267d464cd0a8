"use client";

import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { type FormEvent, useId, useState } from "react";
import { toast } from "sonner";
import { drawerParams } from "@/components/data-table/list-params";
import { DrawerFooter } from "@/components/form/drawer-footer";
import { useRunAction } from "@/components/form/use-run-action";
import { Sheet } from "@/components/ui/dialog";
import type { UsableGroup } from "@/lib/group/types";
import type { ActionResult } from "@/lib/http/action";
import type { Token } from "@/lib/token/types";
import { NewKeyDialog } from "./new-key-dialog";
import { type TokenDraft, type TokenInput, toDraft, toTokenInput } from "./token-draft";
import { TokenBasics, TokenRestrictions } from "./token-fields";

type TokenFormProps = {
  token: Token | null;
  groups: UsableGroup[];
  models: string[];
  createToken: (input: TokenInput) => Promise<ActionResult<{ key: string }>>;
  updateToken: (input: TokenInput & { id: number }) => Promise<ActionResult<void>>;
};

/** The drawer to make a token or to change one; after making one it shows the key. */
export function TokenForm({ token, groups, models, createToken, updateToken }: TokenFormProps) {
  const t = useTranslations("token");
  const common = useTranslations("common");
  const formId = useId();
  const [, setDrawer] = useQueryStates(drawerParams, { shallow: false });
  const { pending, run } = useRunAction();
  const [open, setOpen] = useState(true);
  const [draft, setDraft] = useState<TokenDraft>(() => toDraft(token));
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [newKey, setNewKey] = useState<string | null>(null);

  const onClose = () => {
    setOpen(false);
    setDrawer({ edit: null, create: null });
  };
  const onChange = (change: Partial<TokenDraft>) => setDraft((before) => ({ ...before, ...change }));
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const input = toTokenInput(draft);
    if (!input) return setErrors({ expiredTime: t("expiryBad") });
    setErrors({});
    if (!token) {
      const onCreated = ({ key }: { key: string }) => {
        setOpen(false);
        setNewKey(key);
      };
      return run(
        () => createToken(input),
        onCreated,
        (failure) => setErrors(failure.fields),
      );
    }
    const onSaved = () => {
      toast.success(common("saved"), { duration: 1500 });
      onClose();
    };
    run(
      () => updateToken({ ...input, id: token.id }),
      onSaved,
      (failure) => setErrors(failure.fields),
    );
  };

  return (
    <>
      <Sheet
        modalForm
        open={open}
        onClose={onClose}
        side={token ? "right" : "left"}
        title={token ? t("editTitle") : t("createTitle")}
        description={token ? undefined : t("createLead")}
        footer={<DrawerFooter form={formId} pending={pending} onCancel={onClose} />}
      >
        <form id={formId} onSubmit={onSubmit} noValidate className="flex flex-col gap-6">
          <TokenBasics draft={draft} onChange={onChange} errors={errors} groups={groups} />
          <TokenRestrictions draft={draft} onChange={onChange} errors={errors} models={models} />
        </form>
      </Sheet>
      <NewKeyDialog tokenKey={newKey} onClose={onClose} />
    </>
  );
}
