import type { Difference } from "@/lib/audit/difference";
import { formatExactQuota, type QuotaDisplay } from "@/lib/money/display";

/** Keys of records whose values are amounts of quota. */
const AMOUNT_KEYS = new Set(
  "quota usedQuota remainQuota reserved affQuota affHistoryQuota budgetDay budgetWeek budgetMonth quota_warning_threshold".split(
    " ",
  ),
);
/** The options that are amounts of quota; a test compares them with the registry. */
export const AMOUNT_OPTIONS = ["QuotaForNewUser", "QuotaForInviter", "QuotaForInvitee", "QuotaRemindThreshold"];

const QUOTA = /^-?\d{1,16}$/;

/** A difference whose amounts are money. `subject` is what changed, such as "user:7" or "option:QuotaForNewUser". */
export function withMoney(difference: Difference, subject: string, display: QuotaDisplay): Difference {
  if (!display.inCurrency) return difference;
  const money = (text: string) => (QUOTA.test(text) ? formatExactQuota(Number(text), display) : text);
  const isOption = subject.startsWith("option:") && AMOUNT_OPTIONS.includes(subject.slice("option:".length));
  if (difference.kind === "lines") {
    if (!isOption) return difference;
    return { ...difference, lines: difference.lines.map((line) => ({ ...line, text: money(line.text) })) };
  }
  const changes = difference.changes.map((change) => {
    const isAmount = isOption || AMOUNT_KEYS.has(change.key.split(".").at(-1) ?? "");
    if (!isAmount) return change;
    const { before, after } = change;
    return { ...change, before: before && money(before), after: after && money(after) };
  });
  return { ...difference, changes };
}
