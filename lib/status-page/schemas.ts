import { z } from "zod";
import { INCIDENT_STATES } from "./types";

const TITLE_MAX = 200;
const TEXT_MAX = 5_000;
/** 2100-01-01. */
const SECONDS_MAX = 4_102_444_800;

const title = z.string("incidentTitleMissing").trim().max(TITLE_MAX, "incidentTitleTooLong");
const text = z.string().trim().max(TEXT_MAX, "incidentTextTooLong");
const seconds = z.number("incidentTimeInvalid").int("incidentTimeInvalid").min(0, "incidentTimeInvalid");

export const incidentSchema = z
  .object({
    /** Null = a new one. */
    id: z.number().int().positive().nullable(),
    titleEn: title,
    titleZh: title,
    textEn: text,
    textZh: text,
    state: z.enum(INCIDENT_STATES),
    startedAt: seconds.max(SECONDS_MAX, "incidentTimeInvalid"),
    resolvedAt: seconds.max(SECONDS_MAX, "incidentTimeInvalid").nullable(),
  })
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
export type IncidentInput = z.input<typeof incidentSchema>;
