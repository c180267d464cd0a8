import { useTranslations } from "next-intl";
import type { FormEvent } from "react";
import { toast } from "@/components/ui/toast";
import type { ActionResult } from "@/lib/http/action";
import type { Seen } from "@/lib/seen";
import type { Editing } from "./use-edit";
import { useRunAction } from "./use-run-action";

type Save<Input, Data> = {
  save: (changes: Partial<Input> & { seen: Seen }) => Promise<ActionResult<Data>>;
  onSaved: (data: Data) => void;
};

/** Saves a form and says so; errors stand by field until the next attempt. */
export function useFormSave<Row, Draft, Input, Data>(edit: Editing<Row, Draft, Input>, work: Save<Input, Data>) {
  const common = useTranslations("common");
  const { pending, run } = useRunAction();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    edit.setErrors({});
    const changes = edit.changes();
    if (!changes) return void toast.error(common("checkInput"));
    const onSaved = (data: Data) => {
      toast.success(common("saved"), { duration: 1500 });
      work.onSaved(data);
    };
    run(() => work.save(changes), onSaved, edit.onFailure);
  };
  return { pending, onSubmit };
}
