import { BudgetList } from "@/components/format/budget-list";
import type { QuotaDisplay } from "@/components/format/quota";
import type { BudgetState } from "@/lib/limit/budget-queries";

type TokenBudgetsProps = { id: number; budgets: Promise<Record<number, BudgetState[]>>; display: QuotaDisplay };

export async function TokenBudgets({ id, budgets, display }: TokenBudgetsProps) {
  const own = (await budgets)[id];
  return own ? <BudgetList budgets={own} display={display} /> : null;
}
