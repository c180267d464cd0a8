"use client";

import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { type FormEvent, useState } from "react";
import { useRunAction } from "@/components/form/use-run-action";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import type { ActionResult } from "@/lib/http/action";
import { UserIdentityFields } from "./user-fields";

type OwnIdentity = { username: string; displayName: string };
type SelfInput = Partial<OwnIdentity> & { password: string };
type SelfFormProps = { own: OwnIdentity; updateSelf: (input: SelfInput) => Promise<ActionResult<void>> };

/** The user's own names and password. Users cannot change their own group or balance. */
export function SelfForm({ own, updateSelf }: SelfFormProps) {
  const common = useTranslations("common");
  const router = useRouter();
  const { pending, run } = useRunAction();
  const [draft, setDraft] = useState({ ...own, password: "" });
  const [errors, setErrors] = useState<Record<string, string>>({});
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setErrors({});
    const username = draft.username.trim();
    const onSaved = () => {
      toast.success(common("saved"), { duration: 1500 });
      router.push("/setting");
    };
    run(
      () =>
        updateSelf({
          ...(username === own.username ? {} : { username }),
          displayName: draft.displayName.trim(),
          password: draft.password,
        }),
      onSaved,
      (failure) => setErrors(failure.fields),
    );
  };
  return (
    <form method="post" onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      <UserIdentityFields
        draft={draft}
        errors={errors}
        onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
      />
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
