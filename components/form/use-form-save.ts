import { useTranslations } from "next-intl";
import { type FormEvent, useState } from "react";
import { toast } from "@/components/ui/toast";
import type { ActionResult } from "@/lib/http/action";
import { useRunAction } from "./use-run-action";

/** Saves a form and says so; errors stand by field until the next attempt. */
export function useFormSave<Data>(save: () => Promise<ActionResult<Data>>, onSaved: (data: Data) => void) {
  const common = useTranslations("common");
  const { pending, run } = useRunAction();
  const [errors, setErrors] = useState<Record<string, string>>({});
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setErrors({});
    run(
      save,
      (data) => {
        toast.success(common("saved"), { duration: 1500 });
        onSaved(data);
      },
      (failure) => setErrors(failure.fields),
    );
  };
  return { pending, errors, onSubmit };
}
