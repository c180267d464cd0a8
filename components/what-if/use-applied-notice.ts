import { useTranslations } from "next-intl";
import { useRunAction } from "@/components/form/use-run-action";
import { toast } from "@/components/ui/toast";
import type { ActionResult } from "@/lib/http/action";

const UNDO_MS = 10_000;

/** Says that a draft was applied, with a button that takes it back. `takeBack` is refused when something changed since. */
export function useAppliedNotice() {
  const t = useTranslations("whatIf");
  const { run } = useRunAction();
  return <Data>(takeBack: () => Promise<ActionResult<Data>>, problemOf: (data: Data) => string | null) => {
    const onClick = () =>
      run(takeBack, (data) => {
        const problem = problemOf(data);
        if (problem === null) toast.success(t("undone"));
        else toast.error(problem);
      });
    toast.success(t("applied"), { duration: UNDO_MS, action: { label: t("undo"), onClick } });
  };
}
