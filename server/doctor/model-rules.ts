import { RULES_CHECKED } from "@/lib/model-rules/rows";
import { type Finding, ok, warning } from "./finding";

const OLD_DAYS = 120;
const DAY_MS = 86_400_000;

/** How old Weir's table of models is: what newer models take and refuse it can only guess from their families. */
export function checkModelRules(own = 0, now = new Date(), checked = RULES_CHECKED): Finding {
  const days = Math.max(0, Math.floor((now.getTime() - Date.parse(checked)) / DAY_MS));
  const rows = own === 0 ? "" : `; ${own} rows of your own`;
  const text = `last compared with the providers' pages on ${checked}, ${days} days ago${rows}`;
  if (days <= OLD_DAYS) return ok("model rules", text);
  return warning(
    "model rules",
    text,
    "Update Weir; until then add rows for newer models in the settings under Claude and Gemini, Model rules.",
  );
}
