"use client";

import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import type { FormEvent } from "react";
import { updateSelf } from "@/components/account/personal-actions";
import { useEdit } from "@/components/form/use-edit";
import { useRunAction } from "@/components/form/use-run-action";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import { UserClashes } from "./user-clashes";
import { UserIdentityFields } from "./user-fields";

type OwnIdentity = { username: string; displayName: string };
type SelfInput = OwnIdentity & { password: string };

const SHAPE = {
  toDraft: (own: OwnIdentity | null): SelfInput => ({ username: "", displayName: "", ...own, password: "" }),
  toInput: ({ username, displayName, password }: SelfInput): SelfInput => ({
    username: username.trim(),
    displayName: displayName.trim(),
    password,
  }),
};

/** The user's own names and password. Users cannot change their own group or balance. */
export function SelfForm({ own }: { own: OwnIdentity }) {
  const common = useTranslations("common");
  const router = useRouter();
  const { pending, run } = useRunAction();
  const edit = useEdit(own, SHAPE);
  const { draft, errors, setErrors, onChange, onFailure } = edit;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setErrors({});
    const changes = edit.changes();
    if (!changes) return;
    const onSaved = () => {
      toast.success(common("saved"), { duration: 1500 });
      router.push("/setting");
    };
    run(() => updateSelf(changes), onSaved, onFailure);
  };
  return (
    <form method="post" onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      <UserClashes edit={edit} />
      <UserIdentityFields draft={draft} errors={errors} onChange={onChange} />
      <div className="mt-1 flex justify-end gap-2">
        <Button size="md" onClick={() => router.push("/setting")}>
          {common("cancel")}
        </Button>
        <Button type="submit" size="md" variant="primary" pending={pending}>
          {common("submit")}
        </Button>
      </div>
    </form>
  );
}
