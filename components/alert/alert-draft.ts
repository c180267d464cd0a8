import type { z } from "zod";
import type { QuotaDisplay } from "@/components/format/quota";
import type { alertSchema } from "@/lib/alert/schemas";
import { type AlertMetric, type AlertRule, type AlertScope, subjectsOf } from "@/lib/alert/types";
import { fromTyped, toTyped } from "./alert-units";

/** What the form holds; numbers as they are typed. */
export type AlertDraft = Pick<
  AlertRule,
  | "scope"
  | "name"
  | "metric"
  | "subject"
  | "modelName"
  | "comparison"
  | "windowSeconds"
  | "targetIds"
  | "coolDownSeconds"
  | "tellsResolved"
> & { subjectId: string; threshold: string; minRequests: string };

/** What most people want of each metric, so that a new rule can be saved as it is. */
const START: Record<AlertMetric, Pick<AlertDraft, "comparison" | "windowSeconds" | "threshold" | "minRequests">> = {
  spend: { comparison: "above", windowSeconds: 86_400, threshold: "10", minRequests: "0" },
  balance: { comparison: "below", windowSeconds: 3_600, threshold: "5", minRequests: "0" },
  error_rate: { comparison: "above", windowSeconds: 900, threshold: "10", minRequests: "20" },
  latency: { comparison: "above", windowSeconds: 900, threshold: "30", minRequests: "20" },
};

export function newDraft(): AlertDraft {
  return {
    scope: "own",
    name: "",
    metric: "spend",
    subject: "account",
    subjectId: "",
    modelName: "",
    targetIds: [],
    coolDownSeconds: 3_600,
    tellsResolved: true,
    ...START.spend,
  };
}

export function toDraft(rule: AlertRule, display: QuotaDisplay): AlertDraft {
  const { id: _id, subjectId, threshold, minRequests, metric, ...kept } = rule;
  return {
    ...kept,
    metric,
    subjectId: subjectId === 0 ? "" : String(subjectId),
    threshold: toTyped(metric, threshold, display),
    minRequests: String(minRequests),
  };
}

/** Another metric starts with its own condition, and keeps the subject where it can. */
export function withMetric(draft: AlertDraft, metric: AlertMetric): AlertDraft {
  return withSubject({ ...draft, metric, ...START[metric] });
}

export function withScope(draft: AlertDraft, scope: AlertScope): AlertDraft {
  return withSubject({ ...draft, scope });
}

function withSubject(draft: AlertDraft): AlertDraft {
  const offered = subjectsOf(draft.scope, draft.metric);
  const [first = draft.subject] = offered;
  return offered.includes(draft.subject) ? draft : { ...draft, subject: first, subjectId: "", modelName: "" };
}

export type AlertInput = Required<z.input<typeof alertSchema>>;

export function toInput(draft: AlertDraft, display: QuotaDisplay): AlertInput {
  const {
    scope,
    name,
    metric,
    subject,
    modelName,
    comparison,
    windowSeconds,
    targetIds,
    coolDownSeconds,
    tellsResolved,
  } = draft;
  return {
    scope,
    name,
    metric,
    subject,
    subjectId: Number(draft.subjectId),
    modelName,
    comparison,
    threshold: fromTyped(metric, draft.threshold, display),
    windowSeconds,
    minRequests: Number(draft.minRequests),
    targetIds,
    coolDownSeconds,
    tellsResolved,
  };
}

/** The props of each part of the form. */
export type PartProps = {
  draft: AlertDraft;
  errors: Record<string, string>;
  onDraft: (draft: AlertDraft) => void;
};
