"use client";

import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { type FormEvent, useId, useState } from "react";
import { drawerParams } from "@/components/data-table/list-params";
import { DrawerFooter } from "@/components/form/drawer-footer";
import { Field } from "@/components/form/field";
import { FormSection } from "@/components/form/form-section";
import { newId } from "@/components/form/new-id";
import { useDiscard } from "@/components/form/use-discard";
import { useEdit } from "@/components/form/use-edit";
import { useRunAction } from "@/components/form/use-run-action";
import { Drawer } from "@/components/overlay/drawer";
import { Input } from "@/components/ui/input";
import { toast } from "@/components/ui/toast";
import type { User } from "@/lib/user/types";
import { updateUser } from "./actions";
import { UserClashes } from "./user-clashes";
import { toUserDraft, toUserInput } from "./user-draft";
import { UserIdentityFields, UserLimitFields } from "./user-fields";

/** The external accounts of a user, read-only: only the user can bind and unbind them. */
function BoundAccounts({ user }: { user: User }) {
  const t = useTranslations("user");
  const accounts = [
    { id: "github", label: t("boundGithub"), value: user.githubId },
    { id: "oidc", label: t("boundOidc"), value: user.oidcId },
    { id: "wechat", label: t("boundWechat"), value: user.wechatId },
    { id: "email", label: t("boundEmail"), value: user.email },
    { id: "telegram", label: t("boundTelegram"), value: user.telegramId },
    { id: "linuxdo", label: t("boundLinuxdo"), value: user.linuxDoId },
  ];
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {accounts.map((account) => (
        <Field key={account.id} label={account.label}>
          {(control) => (
            <Input
              {...control}
              readOnly
              value={account.value ?? ""}
              placeholder={t("notBound")}
              className="bg-muted text-muted-foreground"
            />
          )}
        </Field>
      ))}
      <p className="text-muted-foreground text-xs sm:col-span-2">{t("boundHint")}</p>
    </div>
  );
}

type EditUserFormProps = {
  user: User;
  groups: string[];
};

const SHAPE = { toDraft: toUserDraft, toInput: toUserInput };

export function EditUserForm({ user, groups }: EditUserFormProps) {
  const t = useTranslations("user");
  const common = useTranslations("common");
  const formId = useId();
  const [, setDrawer] = useQueryStates(drawerParams, { shallow: false });
  const { pending, run } = useRunAction();
  const [open, setOpen] = useState(true);
  const edit = useEdit(user, SHAPE);
  // A save whose answer was lost may be sent again: the balance is changed once.
  const [changeId] = useState(newId);
  const { draft, errors, setErrors, onChange, onFailure } = edit;

  const onClose = () => {
    setOpen(false);
    setDrawer({ edit: null, create: null });
  };
  const { close, question } = useDiscard(open && edit.dirty, onClose);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const changes = edit.changes();
    if (!changes) return setErrors({ quota: t("numberInvalid") });
    setErrors({});
    const onSaved = () => {
      toast.success(common("saved"), { duration: 1500 });
      onClose();
    };
    run(() => updateUser({ ...changes, id: user.id, changeId }), onSaved, onFailure);
  };
  const section = { draft, onChange, errors };
  return (
    <Drawer
      modalForm
      open={open}
      onClose={close}
      title={t("editTitle")}
      description={`#${user.id} · ${user.username}`}
      footer={<DrawerFooter form={formId} pending={pending} onCancel={close} />}
    >
      <form id={formId} onSubmit={onSubmit} noValidate autoComplete="off" className="flex flex-col gap-6">
        <UserClashes edit={edit} />
        <FormSection title={t("identity")}>
          <UserIdentityFields {...section} />
        </FormSection>
        <FormSection title={t("limits")}>
          <UserLimitFields {...section} groups={groups} quotaBefore={edit.row?.quota ?? 0} />
        </FormSection>
        <FormSection title={t("bound")}>
          <BoundAccounts user={user} />
        </FormSection>
      </form>
      {question}
    </Drawer>
  );
}
