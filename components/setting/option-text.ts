"use client";

import { useTranslations } from "next-intl";
import type { OptionIssue } from "@/lib/option/check";

type Lookup = { (key: string): string; has: (key: string) => boolean };

/** Message keys cannot contain dots: the texts of "oidc.client_id" are under "oidc_client_id". */
const nameOf = (key: string) => key.replaceAll(".", "_");

/** Labels, hints and errors of options in the user's language. An option without a label shows its key. */
export function useOptionText() {
  const option = useTranslations("option") as unknown as Lookup;
  const issues = useTranslations("setting.issue");
  const label = (key: string): string => {
    const name = `${nameOf(key)}.label`;
    return option.has(name) ? option(name) : key;
  };
  const hint = (key: string): string => {
    const name = `${nameOf(key)}.hint`;
    return option.has(name) ? option(name) : "";
  };
  const issueText = (key: string, issue: OptionIssue): string => {
    if (issue.reason === "json") return issues("json", { label: label(key) });
    if ("line" in issue) return issues(issue.reason, { label: label(key), line: String(issue.line), text: issue.text });
    if ("limit" in issue) return issues(issue.reason, { limit: String(issue.limit) });
    return issues(issue.reason);
  };
  return { label, hint, issueText };
}
