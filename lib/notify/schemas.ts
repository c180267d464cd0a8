import { z } from "zod";
import { seenField } from "@/lib/seen-schema";
import { NOTIFICATION_EVENTS, type NotificationEvent } from "./events";
import { TARGET_KINDS, type TargetKind } from "./target-kinds";

const events = z.array(z.enum(NOTIFICATION_EVENTS as [NotificationEvent, ...NotificationEvent[]])).max(50);
const name = z.string().trim().max(64, "notifyNameTooLong");
const config = z.record(z.string().max(32), z.string().max(4_000));
/** Negative for the target that stands for the account's own address. */
export const targetIdSchema = z.object({ id: z.number().int() });

export const targetSchema = z.object({
  kind: z.enum(TARGET_KINDS as [TargetKind, ...TargetKind[]]),
  name,
  /** Of a target that there is, its changed entries. */
  config,
  events,
});

/** A new target, or the changed fields of one; the whole target then fits `targetSchema`. */
export const saveTargetSchema = targetSchema.partial().extend({
  /** Absent: a new target. */
  id: z.number().int().optional(),
  /** An entry of the configuration is called `config.<name>`. */
  seen: seenField,
});
export type SaveTargetInput = z.input<typeof saveTargetSchema>;

export const targetEnabledSchema = targetIdSchema.extend({ enabled: z.boolean() });

/** Largest threshold; with larger doubles, nearby balances could not be told apart. */
const THRESHOLD_MAX = 2 ** 50;

/** Absent fields stay unchanged. */
export const preferencesSchema = z.object({
  language: z.enum(["zh", "en"]).optional(),
  /** In quota; null = the site's threshold. */
  threshold: z
    .number("thresholdNotPositive")
    .int("thresholdNotPositive")
    .min(1, "thresholdNotPositive")
    .max(THRESHOLD_MAX, "thresholdNotPositive")
    .nullable()
    .optional(),
  acceptsUnpriced: z.boolean().optional(),
  /** Percentages of a budget; none = no warnings. */
  budgetWarnings: z
    .array(
      z
        .number("budgetWarningInvalid")
        .int("budgetWarningInvalid")
        .min(1, "budgetWarningInvalid")
        .max(100, "budgetWarningInvalid"),
    )
    .max(5, "budgetWarningInvalid")
    .optional(),
  seen: seenField,
});
export type PreferencesInput = z.input<typeof preferencesSchema>;

/** Body of PUT /api/user/setting (contract §1.6). An absent secret stays unchanged. */
export const userSettingSchema = z.object({
  notify_type: z.enum(["email", "webhook"], { error: "notifyTypeUnknown" }),
  quota_warning_threshold: z
    .number("thresholdNotPositive")
    .positive("thresholdNotPositive")
    .max(THRESHOLD_MAX, "thresholdNotPositive"),
  webhook_url: z.string().max(2_000).optional(),
  webhook_secret: z.string().max(256).optional(),
  notification_email: z.string().trim().max(254).optional(),
  /** The code mailed to a new address. */
  notification_code: z.string().trim().max(16).optional(),
  accept_unset_model_ratio_model: z.boolean().optional(),
});
export type UserSettingInput = z.input<typeof userSettingSchema>;

/** The ids to mark as read; null = all. */
export const markReadSchema = z.object({ ids: z.array(z.number().int().positive()).max(100).nullable() });

/** The fingerprint of an announcement's content. */
export const fingerprintSchema = z.string().regex(/^[0-9a-f]{16}$/);
