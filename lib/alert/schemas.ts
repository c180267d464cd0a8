import { z } from "zod";
import { seenField } from "@/lib/seen-schema";
import {
  ALERT_COMPARISONS,
  ALERT_COOL_DOWNS,
  ALERT_METRICS,
  ALERT_SCOPES,
  ALERT_SUBJECTS,
  ALERT_WINDOWS,
  type AlertMetric,
  subjectsOf,
} from "./types";

/** The largest threshold of each metric, in its unit: 100 %, an hour, and that of a balance. */
const THRESHOLD_MAX: Record<AlertMetric, number> = {
  error_rate: 10_000,
  latency: 3_600_000,
  balance: 1_000_000_000_000_000,
  spend: 1_000_000_000_000_000,
};

const oneOf = (values: readonly number[], message: string) =>
  z.number(message).refine((value) => values.includes(value), { message });
const whole = (message: string) => z.number(message).int(message).min(0, message);

const fields = {
  scope: z.enum(ALERT_SCOPES),
  /** Empty = named after what it watches. */
  name: z.string().trim().max(64, "alertNameTooLong"),
  metric: z.enum(ALERT_METRICS),
  subject: z.enum(ALERT_SUBJECTS),
  subjectId: whole("alertSubjectMissing"),
  modelName: z.string().trim().max(200, "alertSubjectMissing"),
  comparison: z.enum(ALERT_COMPARISONS),
  threshold: whole("alertThresholdInvalid"),
  windowSeconds: oneOf(ALERT_WINDOWS, "alertWindowInvalid"),
  minRequests: whole("alertMinRequestsInvalid").max(1_000_000, "alertMinRequestsInvalid"),
  targetIds: z.array(z.number().int()).max(10),
  coolDownSeconds: oneOf(ALERT_COOL_DOWNS, "alertCoolDownInvalid"),
  tellsResolved: z.boolean(),
};

export const alertSchema = z
  .object({
    ...fields,
    name: fields.name.default(""),
    subjectId: fields.subjectId.default(0),
    modelName: fields.modelName.default(""),
    comparison: fields.comparison.default("above"),
    windowSeconds: fields.windowSeconds.default(3_600),
    minRequests: fields.minRequests.default(0),
    targetIds: fields.targetIds.default([]),
    coolDownSeconds: fields.coolDownSeconds.default(3_600),
    tellsResolved: fields.tellsResolved.default(true),
  })
  .refine(({ scope, metric, subject }) => subjectsOf(scope, metric).includes(subject), {
    path: ["subject"],
    message: "alertSubjectMissing",
  })
  .refine(({ subject, subjectId }) => !["key", "channel", "user"].includes(subject) || subjectId > 0, {
    path: ["subjectId"],
    message: "alertSubjectMissing",
  })
  .refine(({ subject, modelName }) => subject !== "model" || modelName !== "", {
    path: ["modelName"],
    message: "alertSubjectMissing",
  })
  .refine(({ metric, threshold }) => threshold <= THRESHOLD_MAX[metric], {
    path: ["threshold"],
    message: "alertThresholdInvalid",
  });

/** A new rule, or the changed fields of one; the whole rule then fits `alertSchema`. */
export const saveAlertSchema = z.object(fields).partial().extend({
  /** Absent: a new rule. */
  id: z.number().int().positive().optional(),
  seen: seenField,
});
export type SaveAlertInput = z.input<typeof saveAlertSchema>;

export const alertIdSchema = z.object({ id: z.number().int().positive() });
export const alertEnabledSchema = alertIdSchema.extend({ enabled: z.boolean() });
/** For how long, in seconds; 0 = no longer muted. */
export const alertMuteSchema = alertIdSchema.extend({ seconds: z.number().int().min(0).max(2_592_000) });
