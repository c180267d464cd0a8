"use client";

import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { type FormEvent, useId, useState } from "react";
import { drawerParams } from "@/components/data-table/list-params";
import { DrawerFooter } from "@/components/form/drawer-footer";
import { FormSection } from "@/components/form/form-section";
import { useDiscard } from "@/components/form/use-discard";
import { useRunAction } from "@/components/form/use-run-action";
import { Drawer } from "@/components/overlay/drawer";
import { toast } from "@/components/ui/toast";
import type { ActionResult } from "@/lib/http/action";
import type { User } from "@/lib/user/types";
import { BoundAccounts } from "./bound-accounts";
import { toUserDraft, toUserInput, type UserDraft, type UserInput } from "./user-draft";
import { UserIdentityFields, UserLimitFields } from "./user-fields";

type EditUserFormProps = {
  user: User;
  groups: string[];
  updateUser: (input: UserInput) => Promise<ActionResult<void>>;
};

export function EditUserForm({ user, groups, updateUser }: EditUserFormProps) {
  const t = useTranslations("user");
  const common = useTranslations("common");
  const formId = useId();
  const [, setDrawer] = useQueryStates(drawerParams, { shallow: false });
  const { pending, run } = useRunAction();
  const [open, setOpen] = useState(true);
  // The form's own reading: a refresh of the page behind it gives a newer account, but not new fields.
  const [shown] = useState(user);
  const [draft, setDraft] = useState<UserDraft>(() => toUserDraft(shown));
  const [errors, setErrors] = useState<Record<string, string>>({});

  const onClose = () => {
    setOpen(false);
    setDrawer({ edit: null, create: null });
  };
  const isDirty = JSON.stringify(draft) !== JSON.stringify(toUserDraft(shown));
  const { close, question } = useDiscard(open && isDirty, onClose);
  const onChange = (change: Partial<UserDraft>) => setDraft((before) => ({ ...before, ...change }));
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const input = toUserInput(shown, draft);
    if (!input) return setErrors({ quota: t("numberInvalid") });
    setErrors({});
    const onSaved = () => {
      toast.success(common("saved"), { duration: 1500 });
      onClose();
    };
    run(
      () => updateUser(input),
      onSaved,
      (failure) => setErrors(failure.fields),
    );
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
        <FormSection title={t("identity")}>
          <UserIdentityFields {...section} />
        </FormSection>
        <FormSection title={t("limits")}>
          <UserLimitFields {...section} groups={groups} quotaBefore={shown.quota} />
        </FormSection>
        <FormSection title={t("bound")}>
          <BoundAccounts user={user} />
        </FormSection>
      </form>
      {question}
    </Drawer>
  );
}
