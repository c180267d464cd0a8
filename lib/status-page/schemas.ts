import { z } from "zod";
import { seenField } from "@/lib/seen-schema";
import { INCIDENT_STATES } from "./types";

const TITLE_MAX = 200;
const TEXT_MAX = 5_000;
/** 2100-01-01. */
const SECONDS_MAX = 4_102_444_800;

const title = z.string("incidentTitleMissing").trim().max(TITLE_MAX, "incidentTitleTooLong");
const text = z.string().trim().max(TEXT_MAX, "incidentTextTooLong");
const seconds = z.number("incidentTimeInvalid").int("incidentTimeInvalid").min(0, "incidentTimeInvalid");

const fields = {
  titleEn: title,
  titleZh: title,
  textEn: text,
  textZh: text,
  state: z.enum(INCIDENT_STATES),
  startedAt: seconds.max(SECONDS_MAX, "incidentTimeInvalid"),
  resolvedAt: seconds.max(SECONDS_MAX, "incidentTimeInvalid").nullable(),
};

export const incidentSchema = z
  .object(fields)
  // Readers of the other language see the one that there is.
  .refine(({ titleEn, titleZh }) => titleEn !== "" || titleZh !== "", {
    message: "incidentTitleMissing",
    path: ["titleEn"],
  })
  .refine(({ startedAt, resolvedAt }) => resolvedAt === null || resolvedAt >= startedAt, {
    message: "incidentEndsBeforeStart",
    path: ["resolvedAt"],
  })
  .refine(({ state, resolvedAt }) => (state === "resolved") === (resolvedAt !== null), {
    message: "incidentResolvedTime",
    path: ["resolvedAt"],
  });

/** A new incident, or the changed fields of one; the whole incident then fits `incidentSchema`. */
export const saveIncidentSchema = z.object(fields).partial().extend({
  /** Null = a new one. */
  id: z.number().int().positive().nullable(),
  seen: seenField,
});
export type SaveIncidentInput = z.input<typeof saveIncidentSchema>;
