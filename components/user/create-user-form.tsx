"use client";

import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { type FormEvent, useId, useState } from "react";
import { PasswordInput } from "@/components/auth/password-input";
import { drawerParams } from "@/components/data-table/list-params";
import { DrawerFooter } from "@/components/form/drawer-footer";
import { Field } from "@/components/form/field";
import { useDiscard } from "@/components/form/use-discard";
import { useRunAction } from "@/components/form/use-run-action";
import { Drawer } from "@/components/overlay/drawer";
import { Input } from "@/components/ui/input";
import { toast } from "@/components/ui/toast";
import { createUser } from "./actions";
import { DisplayNameField } from "./user-fields";

export type NewUser = { username: string; displayName: string; password: string };

export function CreateUserForm() {
  const t = useTranslations("user");
  const formId = useId();
  const [, setDrawer] = useQueryStates(drawerParams, { shallow: false });
  const { pending, run } = useRunAction();
  const [open, setOpen] = useState(true);
  const [draft, setDraft] = useState<NewUser>({ username: "", displayName: "", password: "" });
  const [errors, setErrors] = useState<Record<string, string>>({});

  const onClose = () => {
    setOpen(false);
    setDrawer({ edit: null, create: null });
  };
  const { close, question } = useDiscard(open && Object.values(draft).some((text) => text !== ""), onClose);
  const onChange = (change: Partial<NewUser>) => setDraft((before) => ({ ...before, ...change }));
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const username = draft.username.trim();
    if (username === "" || draft.password === "") {
      toast.error(t("fieldsMissing"), { duration: 5000 });
      return setErrors({
        ...(username === "" ? { username: t("usernameMissing") } : {}),
        ...(draft.password === "" ? { password: t("passwordMissing") } : {}),
      });
    }
    setErrors({});
    const onSaved = () => {
      toast.success(t("created"), { duration: 1500 });
      onClose();
    };
    run(
      () => createUser({ ...draft, username }),
      onSaved,
      (failure) => setErrors(failure.fields),
    );
  };
  return (
    <Drawer
      modalForm
      open={open}
      onClose={close}
      title={t("add")}
      description={t("addLead")}
      footer={<DrawerFooter form={formId} pending={pending} onCancel={close} />}
    >
      <form id={formId} onSubmit={onSubmit} noValidate autoComplete="off" className="flex flex-col gap-4">
        <NewUserFields draft={draft} errors={errors} onChange={onChange} />
      </form>
      {question}
    </Drawer>
  );
}

type FieldsProps = {
  draft: NewUser;
  errors: Record<string, string>;
  onChange: (change: Partial<NewUser>) => void;
};

function NewUserFields({ draft, errors, onChange }: FieldsProps) {
  const t = useTranslations("user");
  return (
    <>
      <Field label={t("username")} hint={t("usernameHint")} error={errors.username}>
        {(control) => (
          <Input
            {...control}
            value={draft.username}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus
            onChange={(event) => onChange({ username: event.target.value })}
          />
        )}
      </Field>
      <DisplayNameField
        value={draft.displayName}
        hint={t("displayNameHint")}
        error={errors.displayName}
        onValue={(displayName) => onChange({ displayName })}
      />
      <Field label={t("password")} hint={t("passwordHint")} error={errors.password}>
        {(control) => (
          <PasswordInput
            {...control}
            value={draft.password}
            autoComplete="new-password"
            onChange={(event) => onChange({ password: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}
